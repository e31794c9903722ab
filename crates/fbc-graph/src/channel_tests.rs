//! Tables for channels, and a slow model of them. Only compiled for tests.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn entry(name: &str, replaces: &str, skips: &[&str]) -> ChannelEntry {
    ChannelEntry {
        name: name.to_owned(),
        replaces: replaces.to_owned(),
        skips: skips.iter().map(|&skip| skip.to_owned()).collect(),
        skip_range: String::new(),
    }
}

/// What opm says, sorted as it sorts.
fn opm_says(entries: &[ChannelEntry]) -> String {
    let analysis = ChannelAnalysis::from_entries(entries);
    let names = |indices: &[usize]| indices.iter().map(|&i| entries[i].name.clone()).collect::<Vec<_>>();
    let sorted = |indices: &[usize]| names(indices).into_iter().collect::<BTreeSet<_>>();
    match analysis.end {
        ChainEnd::NoEntries => "empty".to_owned(),
        ChainEnd::NoHead => "no head".to_owned(),
        ChainEnd::SeveralHeads => format!("heads {:?}", sorted(&analysis.heads)),
        ChainEnd::Cycle { .. } => {
            let mut path = names(analysis.cycle());
            path.push(path[0].clone());
            format!("cycle {path:?}")
        }
        _ if analysis.stranded.is_empty() => "ok".to_owned(),
        _ => format!("stranded {:?}", sorted(&analysis.stranded)),
    }
}

/// The same, by names and sets and in no hurry. Names of entries must be unique.
fn slow_model(entries: &[ChannelEntry]) -> String {
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let skipped: BTreeSet<&str> = entries.iter().flat_map(|e| e.skips.iter().map(String::as_str)).collect();
    let replaced: BTreeSet<&str> =
        entries.iter().map(|e| e.replaces.as_str()).filter(|name| !name.is_empty()).collect();
    let heads: BTreeSet<&str> =
        names.iter().copied().filter(|name| !skipped.contains(name) && !replaced.contains(name)).collect();
    if entries.is_empty() {
        return "empty".to_owned();
    }
    if heads.is_empty() {
        return "no head".to_owned();
    }
    if heads.len() > 1 {
        return format!("heads {heads:?}");
    }
    let mut path: Vec<&str> = heads.into_iter().collect();
    while let Some(current) = entries.iter().find(|entry| entry.name == path[path.len() - 1]) {
        let next = current.replaces.as_str();
        if skipped.contains(next) {
            break;
        }
        if let Some(place) = path.iter().position(|name| *name == next) {
            path.push(next);
            return format!("cycle {:?}", &path[place..]);
        }
        path.push(next);
    }
    let reached: BTreeSet<&str> = path.into_iter().collect();
    let stranded: BTreeSet<&str> =
        names.into_iter().filter(|name| !reached.contains(name) && !skipped.contains(name)).collect();
    if stranded.is_empty() { "ok".to_owned() } else { format!("stranded {stranded:?}") }
}

#[test]
fn channels_of_the_specification() {
    for (entries, says) in [
        (vec![], "empty"),
        (vec![entry("a", "", &[])], "ok"),
        (vec![entry("a", "", &[]), entry("b", "a", &["a-1"])], "ok"),
        (vec![entry("a", "", &[]), entry("b", "", &[])], "heads {\"a\", \"b\"}"),
        (vec![entry("a", "b", &[]), entry("b", "a", &[])], "no head"),
        (vec![entry("a", "a", &[])], "no head"),
        (vec![entry("a", "", &["a"])], "no head"),
        (
            vec![entry("a", "b", &[]), entry("b", "a", &[]), entry("c", "b", &[])],
            "cycle [\"b\", \"a\", \"b\"]",
        ),
        (vec![entry("a", "", &[]), entry("b", "a", &[]), entry("c", "", &["b"])], "stranded {\"a\"}"),
        (vec![entry("a", "", &[]), entry("b", "a", &[]), entry("c", "b", &["b"])], "stranded {\"a\"}"),
        (vec![entry("a", "", &[]), entry("b", "a", &[]), entry("c", "b", &["b", "a"])], "ok"),
        (vec![entry("a", "unknown", &["unknown2"])], "ok"),
        // Cycles among skipped entries are not seen.
        (vec![entry("a", "b", &[]), entry("b", "a", &[]), entry("c", "", &["a", "b"])], "ok"),
        (vec![entry("a", "", &[""])], "ok"),
        (vec![entry("", "", &[]), entry("a", "", &[])], "heads {\"\", \"a\"}"),
        (vec![entry("", "", &[])], "cycle [\"\", \"\"]"),
        (vec![entry("", "", &[""])], "no head"),
    ] {
        assert_eq!(opm_says(&entries), says, "{entries:?}");
        assert_eq!(slow_model(&entries), says, "{entries:?}");
    }
}

#[test]
fn ends_of_chains() {
    let end = |entries: &[ChannelEntry]| ChannelAnalysis::from_entries(entries).end;
    assert_eq!(end(&[entry("a", "", &[])]), ChainEnd::Nothing);
    assert_eq!(end(&[entry("a", "z", &[])]), ChainEnd::Outside);
    assert_eq!(
        end(&[entry("a", "", &[]), entry("b", "a", &[]), entry("c", "b", &["b"])]),
        ChainEnd::Skipped { entry: 1, by: 2 }
    );
}

#[test]
fn of_equal_names_the_first_counts() {
    let analysis =
        ChannelAnalysis::from_entries(&[entry("a", "", &[]), entry("b", "a", &[]), entry("a", "x", &["b"])]);
    assert_eq!((analysis.heads, analysis.chain), (vec![1], vec![1, 0]));
}

#[test]
fn long_chains_are_no_matter() {
    let count = 100_000;
    let entries: Vec<ChannelEntry> =
        (0..count).map(|i| entry(&format!("e{i}"), &format!("e{}", i + 1), &[])).collect();
    assert_eq!(ChannelAnalysis::from_entries(&entries).chain.len(), count);
}

proptest! {
    #[test]
    fn agrees_with_the_slow_model(
        edges in prop::collection::vec((0..7_usize, prop::collection::vec(0..8_usize, 0..3)), 0..7)
    ) {
        // Names that are not entries, and the empty name, are among the targets.
        let name = |number: usize| if number == 6 { String::new() } else { format!("e{number}") };
        let entries: Vec<ChannelEntry> = edges
            .iter()
            .enumerate()
            .map(|(number, (replaces, skips))| ChannelEntry {
                name: format!("e{number}"),
                replaces: name(*replaces),
                skips: skips.iter().map(|&skip| name(skip)).collect(),
                skip_range: String::new(),
            })
            .collect();
        prop_assert_eq!(opm_says(&entries), slow_model(&entries));
    }

    #[test]
    fn agrees_on_channels_that_are_nearly_sound(
        edges in prop::collection::vec((0..20_usize, prop::collection::vec(0..12_usize, 0..2)), 1..12)
    ) {
        // Mostly each entry replaces the one before, so that there are chains to walk.
        let entries: Vec<ChannelEntry> = edges
            .iter()
            .enumerate()
            .map(|(number, (replaces, skips))| {
                let target = if *replaces < 12 { *replaces } else { number.wrapping_sub(1) };
                let skips = skips.iter().filter(|&&skip| skip < number);
                ChannelEntry {
                    name: format!("e{number}"),
                    replaces: format!("e{target}"),
                    skips: skips.map(|skip| format!("e{skip}")).collect(),
                    skip_range: String::new(),
                }
            })
            .collect();
        prop_assert_eq!(opm_says(&entries), slow_model(&entries));
    }
}
