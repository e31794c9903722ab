//! The order of mapping keys: go-yaml v2's natural order.
//!
//! Source of the behaviour: `go-yaml/yaml:sorter.go` (branch v2).
//!
//! The order is not a total order: `v2` is before `v10`, `v10` before `v1alpha1`, `v1alpha1` before
//! `v2`. go-yaml sorts the keys of a Go map, which come at random, so what it writes for such keys
//! is random too. Here the rule is: keys sorted by their bytes go through a stable merge sort that
//! halves the list, sorts both halves, and merges them unless the last key of the first half may
//! stay before the first key of the second. That is go-yaml's order wherever it has one, and always
//! the same otherwise. (The sorts of the standard library may panic on such an order.)

use std::cmp::Ordering;

use unicode_general_category::{GeneralCategory, get_general_category};

use crate::document::Node;

type Member<'d> = (&'d str, Node<'d>);

/// Compares two keys as go-yaml v2 does (`go-yaml/yaml:sorter.go`). At the first difference letters
/// come after everything else, and digits count by the number that they begin.
///
/// Equal only for equal keys, but not transitive; do not hand it to a sort of the standard library.
///
/// ```
/// use fbc_yaml::yaml_writer::key_order;
/// assert!(key_order("v2", "v10").is_lt());
/// assert!(key_order("a_b", "aB").is_lt());
/// ```
#[must_use]
pub fn key_order(a: &str, b: &str) -> Ordering {
    let mut common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    // A character of several bytes may differ in a later one; it begins where its twin does.
    while !a.is_char_boundary(common) {
        common -= 1;
    }
    let (before, rest_a) = a.split_at(common);
    let rest_b = b.get(common..).unwrap_or_default();
    let (x, y) = match (rest_a.chars().next(), rest_b.chars().next()) {
        (Some(x), Some(y)) => (x, y),
        (x, y) => return x.is_some().cmp(&y.is_some()),
    };
    match (is_letter(x), is_letter(y)) {
        (true, true) => return x.cmp(&y),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // `10` and `1a`: the zero belongs to a number that has begun before the difference, so that it
    // must not count as a leading zero.
    let inside_number =
        (x == '0' || y == '0') && before.chars().rev().take_while(|&c| is_digit(c)).any(|c| c != '0');
    let (number_a, digits_a) = number(rest_a, inside_number);
    let (number_b, digits_b) = number(rest_b, inside_number);
    number_a.cmp(&number_b).then(digits_a.cmp(&digits_b)).then(x.cmp(&y))
}

/// The number that the text begins with, and how many digits it has. It wraps around like Go's
/// `int64`, and takes digits of other scripts for their distance from `0`, as go-yaml does.
fn number(text: &str, inside_number: bool) -> (i64, usize) {
    text.chars().take_while(|&c| is_digit(c)).fold((i64::from(inside_number), 0), |(number, digits), c| {
        let value = i64::from(c as u32) - i64::from('0' as u32);
        (number.wrapping_mul(10).wrapping_add(value), digits + 1)
    })
}

fn is_letter(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    matches!(
        get_general_category(c),
        G::UppercaseLetter | G::LowercaseLetter | G::TitlecaseLetter | G::ModifierLetter | G::OtherLetter
    )
}

fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    get_general_category(c) == GeneralCategory::DecimalNumber
}

/// Whether the members can be written as they come: the sort would change nothing.
pub(super) fn is_in_order(node: Node<'_>) -> bool {
    let mut members = node.members().map(|(key, _)| key);
    let Some(mut previous) = members.next() else {
        return true;
    };
    members.all(|key| {
        // The order of bytes is where the sort begins; it also tells equal keys.
        let ordered = previous < key && key_order(previous, key).is_lt();
        previous = key;
        ordered
    })
}

/// The members in the order in which they are written, the last of equal keys only.
pub(crate) fn sorted_members(node: Node<'_>) -> Vec<Member<'_>> {
    let mut members: Vec<Member<'_>> = node.members().collect();
    members.sort_by_key(|(key, _)| *key);
    members.dedup_by(|later, kept| {
        let equal = later.0 == kept.0;
        if equal {
            *kept = *later;
        }
        equal
    });
    let mut merged = Vec::with_capacity(members.len());
    merge_sort(&mut members, &mut merged);
    members
}

/// Sorts by [`key_order`] as the module says.
fn merge_sort<'d>(members: &mut [Member<'d>], merged: &mut Vec<Member<'d>>) {
    if members.len() < 2 {
        return;
    }
    let (first, second) = members.split_at_mut(members.len() / 2);
    merge_sort(first, merged);
    merge_sort(second, merged);
    let comes_before = |a: &Member<'d>, b: &Member<'d>| key_order(a.0, b.0).is_lt();
    if !matches!((first.last(), second.first()), (Some(last), Some(next)) if comes_before(next, last)) {
        return;
    }
    merged.clear();
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    while let (Some(a), Some(b)) = (first.peek(), second.peek()) {
        let taken = if comes_before(b, a) { second.next() } else { first.next() };
        merged.extend(taken);
    }
    merged.extend(first);
    merged.extend(second);
    members.copy_from_slice(merged);
}
