//! Tables of updates, and a slow model of them. Only compiled for tests.

use fbc_version::{Release, Version};
use proptest::prelude::*;

use super::*;

fn entry(name: &str, replaces: &str, skips: &[&str], skip_range: &str) -> ChannelEntry {
    ChannelEntry {
        name: name.to_owned(),
        replaces: replaces.to_owned(),
        skips: skips.iter().map(|&skip| skip.to_owned()).collect(),
        skip_range: skip_range.to_owned(),
    }
}

/// Bundles are named after their versions.
fn versions<'n>(names: impl IntoIterator<Item = &'n str>) -> HashMap<&'n str, VersionRelease> {
    let version = |name: &str| VersionRelease::new(Version::parse(name).unwrap(), Release::default());
    names.into_iter().map(|name| (name, version(name))).collect()
}

fn next(meaning: Meaning, entries: &[ChannelEntry], installed: &str) -> (Option<String>, bool) {
    let versions = versions(entries.iter().map(|entry| entry.name.as_str()).chain([installed]));
    let found = updates(meaning, entries, [installed], &versions)[installed];
    (found.next.map(str::to_owned), found.reaches_head)
}

#[test]
fn the_two_meanings_differ_in_skipped_entries() {
    // 1.1.0 is skipped, so OLM v0 does not update to it; what only it replaces is stuck there.
    let entries = [
        entry("1.0.0", "", &[], ""),
        entry("1.1.0", "1.0.0", &[], ""),
        entry("1.2.0", "1.1.0", &["1.1.0"], ""),
    ];
    assert_eq!(next(Meaning::V0, &entries, "1.0.0"), (None, false));
    assert_eq!(next(Meaning::V1, &entries, "1.0.0"), (Some("1.1.0".to_owned()), true));
    assert_eq!(next(Meaning::V0, &entries, "1.1.0"), (Some("1.2.0".to_owned()), true));
    assert_eq!(next(Meaning::V0, &entries, "1.2.0"), (None, true));
}

#[test]
fn ranges_cover_what_is_no_entry() {
    let entries = [entry("1.1.0", "1.0.0", &[], ">=0.5.0 <1.1.0"), entry("1.2.0", "1.1.0", &[], "")];
    for meaning in Meaning::ALL {
        assert_eq!(next(meaning, &entries, "0.7.0"), (Some("1.1.0".to_owned()), true), "{meaning:?}");
        assert_eq!(next(meaning, &entries, "0.4.0"), (None, false), "{meaning:?}");
        // Nobody goes back.
        assert_eq!(next(meaning, &entries, "3.0.0"), (None, false), "{meaning:?}");
    }
}

#[test]
fn ten_thousand_entries_with_ranges_of_their_own_take_no_time() {
    let names: Vec<String> = (0..10_000).map(|minor| format!("1.{minor}.0")).collect();
    let entries: Vec<ChannelEntry> = names
        .iter()
        .enumerate()
        .map(|(minor, name)| {
            let before = minor.checked_sub(1).map_or("", |before| names[before].as_str());
            entry(name, before, &[], &format!(">=0.{minor}.0 <0.{}.0", minor + 1))
        })
        .collect();
    let versions = versions(names.iter().map(String::as_str));
    for meaning in Meaning::ALL {
        let found = updates(meaning, &entries, [], &versions);
        assert!(found.values().all(|update| update.reaches_head));
    }
}

/// One installed version after the other, one candidate after the other.
fn model(meaning: Meaning, entries: &[ChannelEntry], installed: &str) -> Option<String> {
    let version = |name: &str| Version::parse(name).unwrap();
    let chain: Vec<&ChannelEntry> =
        ChannelAnalysis::from_entries(entries).chain.iter().map(|&entry| &entries[entry]).collect();
    let covers = |candidate: &ChannelEntry| {
        candidate.replaces == installed
            || candidate.skips.iter().any(|skip| skip == installed)
            || blang::Range::parse(&candidate.skip_range)
                .is_ok_and(|range| range.matches(&version(installed)))
    };
    match meaning {
        Meaning::V0 => chain
            .iter()
            .take_while(|entry| entry.name != installed)
            .find(|candidate| covers(candidate))
            .map(|entry| entry.name.clone()),
        Meaning::V1 => entries
            .iter()
            .filter(|candidate| covers(candidate))
            .filter(|candidate| version(&candidate.name).compare_precedence(&version(installed)).is_gt())
            .max_by(|a, b| version(&a.name).compare_precedence(&version(&b.name)))
            .map(|entry| entry.name.clone()),
    }
}

fn name() -> impl Strategy<Value = String> {
    (0..3u8, 0..4u8).prop_map(|(major, minor)| format!("{major}.{minor}.0"))
}

fn range() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        1 => (name(), name()).prop_map(|(from, to)| format!(">={from} <{to}")),
        1 => (name(), name()).prop_map(|(from, to)| format!("<{from} || >{to}")),
        1 => Just("no range".to_owned()),
    ]
}

fn entries() -> impl Strategy<Value = Vec<ChannelEntry>> {
    let edges = (prop::option::of(name()), prop::collection::vec(name(), 0..3), range());
    prop::collection::btree_map(name(), edges, 0..9).prop_map(|entries| {
        let entries = entries.into_iter();
        entries
            .map(|(name, (replaces, skips, skip_range))| ChannelEntry {
                name,
                replaces: replaces.unwrap_or_default(),
                skips,
                skip_range,
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn updates_are_those_of_the_model(entries in entries(), other in name()) {
        for meaning in Meaning::ALL {
            let names = entries.iter().map(|entry| entry.name.as_str()).chain([other.as_str()]);
            let versions = versions(names.clone());
            let found = updates(meaning, &entries, [other.as_str()], &versions);
            for name in names {
                let model = model(meaning, &entries, name);
                prop_assert_eq!(found[name].next.map(str::to_owned), model, "{:?} {}", meaning, name);
            }
        }
    }
}
