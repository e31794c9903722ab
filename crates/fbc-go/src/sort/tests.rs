//! Sorting held to 10,000 lists that Go sorted. Only compiled for tests.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn sorts(mut items in prop::collection::vec((0_u16..40, any::<u16>()), 0..400)) {
        let mut expected = items.clone();
        expected.sort_unstable();
        sort(&mut items, |a, b| a.0 < b.0);
        prop_assert!(items.is_sorted_by_key(|item| item.0));
        items.sort_unstable();
        prop_assert_eq!(items, expected, "nothing is lost");
    }

    #[test]
    fn short_lists_are_sorted_stably(mut items in prop::collection::vec((0_u8..3, any::<u8>()), 0..=12)) {
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        sort(&mut items, |a, b| a.0 < b.0);
        prop_assert_eq!(items, expected);
    }
}

#[test]
fn patterns_are_sorted() {
    for length in [13, 50, 51, 100, 1000] {
        let patterns: [Box<dyn Fn(usize) -> usize>; 5] = [
            Box::new(|at| at),
            Box::new(move |at| length - at),
            Box::new(|at| at % 7),
            Box::new(move |at| at.abs_diff(length / 2)),
            Box::new(|at| (at * 7919) % 1009),
        ];
        for pattern in patterns {
            let mut items: Vec<usize> = (0..length).map(pattern).collect();
            sort(&mut items, |a, b| a < b);
            assert!(items.is_sorted());
        }
    }
}

/// For each of 100 lengths of a list: a digest of the orders in which Go 1.27 puts 100 lists of that length.
const ORDERS: &str = include_str!("orders.txt");

#[test]
fn orders_are_those_of_go() {
    let rows: Vec<&str> = ORDERS.lines().collect();
    assert_eq!(rows.len(), 100);
    for (row, expected) in rows.into_iter().enumerate() {
        let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
        for column in 0..100 {
            let keys = keys(row as u64, column);
            let mut order: Vec<usize> = (0..keys.len()).collect();
            sort(&mut order, |&a, &b| keys[a] < keys[b]);
            for index in order {
                digest = (digest ^ index as u64).wrapping_mul(0x100_0000_01b3);
            }
        }
        assert_eq!(format!("{} {digest:016x}", length(row as u64)), expected, "row {row}");
    }
}

#[test]
fn the_smallest_list_that_needs_all_steps() {
    let keys = [1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 1, 0, 2];
    let mut order: Vec<usize> = (0..keys.len()).collect();
    sort(&mut order, |&a, &b| keys[a] < keys[b]);
    assert_eq!(order, [6, 12, 2, 3, 4, 5, 1, 0, 8, 9, 11, 7, 10, 13]);
}

fn length(row: u64) -> u64 {
    if row < 80 { 13 + row } else { 100 * (row - 79) }
}

/// The keys of a list: few or many different ones, at random, rising, falling, or rising and falling.
fn keys(row: u64, column: u64) -> Vec<u64> {
    let length = length(row);
    let most = [2, 3, 5, 12, length / 2 + 1, 2 * length][column as usize % 6];
    let mut state = row * 1000 + column;
    (0..length)
        .map(|at| {
            let random = next(&mut state);
            let (regular, stray) = match column / 6 % 4 {
                0 => (0, 1),
                1 => (at * most / length, 8),
                2 => ((length - at) * most / length, 16),
                _ => (at.min(length - at) * most / length, 32),
            };
            match stray {
                1 => random % most,
                stray if random.is_multiple_of(stray) => (random >> 8) % most,
                _ => regular,
            }
        })
        .collect()
}

/// The generator SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
