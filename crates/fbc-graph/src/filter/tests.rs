//! What stays of small catalogs. Only compiled for tests.

use fbc_model::load::load_tree;
use fbc_model::tree::MemoryTree;
use fbc_model::writer::{self, Format};
use fbc_version::{Grammar, Range, Target};
use proptest::prelude::*;

use super::*;
use crate::ChannelAnalysis;
use crate::channel::ChainEnd;

fn catalog(text: &str) -> Catalog {
    let tree: MemoryTree = [("catalog.yaml", text)].into_iter().collect();
    let catalog = load_tree(&tree);
    assert!(catalog.faults.is_empty(), "{:?}", catalog.faults);
    catalog
}

fn bundle(package: &str, version: &str, more: &str) -> String {
    format!(
        "---\nschema: olm.bundle\nname: {package}.v{version}\npackage: {package}\nimage: q/{package}:{version}\n\
         properties:\n- {{type: olm.package, value: {{packageName: {package}, version: \"{version}\"}}}}\n{more}"
    )
}

/// A package `p` with a channel `c`, whose entries are `version[<replaces][-skips,...][~skipRange]`, the
/// highest first.
fn channel_text(name: &str, entries: &str) -> String {
    let mut text = format!("---\nschema: olm.channel\npackage: p\nname: {name}\nentries:\n");
    for word in entries.split(' ') {
        let (word, range) = word.split_once('~').unwrap_or((word, ""));
        let (word, skips) = word.split_once('-').unwrap_or((word, ""));
        let (version, replaces) = word.split_once('<').unwrap_or((word, ""));
        text += &format!("- name: p.v{version}\n");
        if !replaces.is_empty() {
            text += &format!("  replaces: p.v{replaces}\n");
        }
        if !skips.is_empty() {
            let skips: Vec<String> = skips.split(',').map(|skip| format!("p.v{skip}")).collect();
            text += &format!("  skips: [{}]\n", skips.join(", "));
        }
        if !range.is_empty() {
            text += &format!("  skipRange: '{}'\n", range.replace('_', " "));
        }
    }
    text
}

fn package_text(entries: &str) -> String {
    let mut text =
        "schema: olm.package\nname: p\ndefaultChannel: c\n".to_owned() + &channel_text("c", entries);
    for word in entries.split(' ') {
        let version = word.split(['<', '-', '~']).next().unwrap();
        text += &bundle("p", version, "");
    }
    text
}

fn range(text: &str) -> Keep {
    Keep::Range(Range::parse(Grammar::Masterminds, Target::Latest, text).unwrap())
}

fn selection(channel: &str, keep: Keep) -> Selection {
    let channels = vec![ChannelSelection { name: channel.to_owned(), keep }];
    let package = PackageSelection { channels, default_channel: None };
    Selection { packages: BTreeMap::from([("p".to_owned(), package)]) }
}

fn whole(packages: &[&str]) -> Selection {
    let packages = packages.iter().map(|name| ((*name).to_owned(), PackageSelection::default()));
    Selection { packages: packages.collect() }
}

/// The versions that stay in channel `c`, or the refusal.
fn left(entries: &str, keep: Keep) -> String {
    match filter(&catalog(&package_text(entries)), &selection("c", keep)) {
        Ok(filtered) => {
            let names =
                filtered.catalog.channels[0].entries().iter().map(|entry| entry.name.replace("p.v", ""));
            names.collect::<Vec<_>>().join(" ")
        }
        Err(refusals) => refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

const CHAIN: &str = "1.3.0<1.2.0 1.2.0<1.1.0 1.1.0<1.0.0 1.0.0";

#[test]
fn ranges() {
    for (entries, wanted, expected) in [
        (CHAIN, ">=1.1", "1.3.0 1.2.0 1.1.0"),
        (CHAIN, "1.1.x", "1.1.0"),
        (CHAIN, "<1.2", "1.1.0 1.0.0"),
        // What lies between stays, or there would be two heads.
        (CHAIN, "1.0.0 || 1.3.0", "1.3.0 1.2.0 1.1.0 1.0.0"),
        (CHAIN, "1.0.0 || 1.2.0", "1.2.0 1.1.0 1.0.0"),
        // A skipped entry may go although something replaces it, and may be the head of what is left.
        ("1.2.0<1.0.0-1.1.0 1.1.0<1.0.0 1.0.0", "!=1.1.0", "1.2.0 1.0.0"),
        ("1.2.0<1.0.0-1.1.0 1.1.0<1.0.0 1.0.0", "<1.2.0", "1.1.0 1.0.0"),
        // The chain stops at a dangling edge, and the skip keeps the rest on.
        ("1.2.0<1.1.0-1.0.0 1.1.0<1.0.0 1.0.0", "!=1.1.0", "1.2.0 1.0.0"),
        // Two patches of one version, which only the head joins.
        (
            "1.2.0<1.1.1-1.1.2 1.1.2<1.0.0 1.1.1",
            "~1.1",
            "channel \"c\" of package \"p\" would have several heads: p.v1.1.2, p.v1.1.1",
        ),
        (CHAIN, ">2", "nothing of channel \"c\" of package \"p\" is in the range"),
    ] {
        assert_eq!(left(entries, range(wanted)), expected, "{wanted} of {entries}");
    }
}

#[test]
fn ranges_as_pieces_of_the_chain() {
    let chain = |text: &str| Keep::Chain(Range::parse(Grammar::Masterminds, Target::Latest, text).unwrap());
    for (entries, wanted, expected) in [
        (CHAIN, ">=1.1", "1.3.0 1.2.0 1.1.0"),
        (CHAIN, ">=1.1 <=1.2.0", "1.2.0 1.1.0"),
        (CHAIN, "<=1.0.0", "1.0.0"),
        // Without gaps.
        (CHAIN, "1.0.0 || 1.2.0", "1.2.0 1.1.0 1.0.0"),
        // What is skipped is there only where it is in the range, and what skips it is there with it.
        ("1.3.0<1.0.0-1.1.0,1.2.0 1.2.0<1.1.0 1.1.0<1.0.0 1.0.0", ">=1.2.0", "1.3.0 1.2.0"),
        ("1.3.0<1.0.0-1.1.0,1.2.0 1.2.0<1.1.0 1.1.0<1.0.0 1.0.0", ">=1.1.0 <=1.1.5", "1.3.0 1.1.0"),
        ("1.3.0<1.0.0-1.1.0,1.2.0 1.2.0<1.1.0 1.1.0<1.0.0 1.0.0", "<=1.0.0", "1.0.0"),
        // The lowest entry with all of the range below it is the head.
        ("1.3.0<1.2.0 1.2.0<1.0.0-1.1.0 1.1.0 1.0.0", "<=1.1.0", "1.2.0 1.1.0 1.0.0"),
        // Two patches of one version come with what joins them.
        ("1.2.0<1.1.1-1.1.2 1.1.2<1.0.0 1.1.1", "~1.1", "1.2.0 1.1.2 1.1.1"),
        (CHAIN, ">2", "nothing of package \"p\" is in the range"),
        (
            "1.2.0<1.0.0 1.1.0<1.0.0 1.0.0",
            ">=1.0.0",
            "channel \"c\" of package \"p\" would have several heads: p.v1.2.0, p.v1.1.0",
        ),
    ] {
        assert_eq!(left(entries, chain(wanted)), expected, "{wanted} of {entries}");
    }
}

#[test]
fn what_would_join_several_heads_is_named() {
    let catalog = catalog(&package_text("1.3.0<1.2.0 1.2.0<1.1.1-1.1.2 1.1.2<1.0.0 1.1.1"));
    let refusals = filter(&catalog, &selection("c", range("~1.1"))).err().unwrap();
    let Refusal::SeveralHeads { joined_by, .. } = &refusals[0] else { panic!("{refusals:?}") };
    assert_eq!(joined_by.as_deref(), Some("p.v1.2.0"));
}

#[test]
fn heads_and_ways() {
    let way = |version: &str| Keep::WayFrom(Version::parse(version).unwrap());
    for (entries, keep, expected) in [
        (CHAIN, Keep::Head, "1.3.0"),
        (CHAIN, way("1.3.0"), "1.3.0"),
        (CHAIN, way("1.1.0"), "1.3.0 1.2.0 1.1.0"),
        // Straight to the head, by a skip; what is between is not needed.
        ("1.3.0<1.2.0-1.0.0 1.2.0<1.1.0 1.1.0<1.0.0 1.0.0", way("1.0.0"), "1.3.0 1.0.0"),
        // By a range the installed version need not stay, nor be there at all.
        ("1.3.0<1.2.0 1.2.0<1.1.0~<1.2.0 1.1.0<1.0.0 1.0.0", way("1.0.0"), "1.3.0 1.2.0"),
        ("1.3.0<1.2.0 1.2.0~<1.2.0", way("0.7.0"), "1.3.0 1.2.0"),
        (CHAIN, way("0.9.0"), "no way leads from 0.9.0 to the head of channel \"c\" of package \"p\""),
    ] {
        assert_eq!(left(entries, keep), expected, "{entries}");
    }
}

/// D-FBC-21: `replaces` and `skips` may name what is not there.
#[test]
fn d_fbc_21_edges_to_what_went_stay() {
    let filtered = filter(&catalog(&package_text(CHAIN)), &selection("c", range("1.3.0"))).unwrap();
    assert_eq!(filtered.catalog.channels[0].entries()[0].replaces, "p.v1.2.0");
    assert_eq!(filtered.catalog.bundles.len(), 1);
    assert_eq!(filtered.changes.bundles.len(), 3);
}

#[test]
fn a_default_channel_is_never_lost_silently() {
    let text = package_text(CHAIN) + &channel_text("d", "1.3.0") + &channel_text("e", "1.2.0");
    let catalog = catalog(&text);
    let mut wanted = selection("d", Keep::All);
    let refusals = filter(&catalog, &wanted).err().unwrap();
    let [Refusal::DefaultChannelLost { channel, candidates, .. }] = refusals.as_slice() else {
        panic!("{refusals:?}")
    };
    assert_eq!((channel.as_str(), candidates.as_slice()), ("c", ["d".to_owned()].as_slice()));
    wanted.packages.get_mut("p").unwrap().default_channel = Some("d".to_owned());
    let filtered = filter(&catalog, &wanted).unwrap();
    assert_eq!(filtered.catalog.packages[0].default_channel, "d");
    assert_eq!(filtered.changes.dropped_channels.len(), 2);
    wanted.packages.get_mut("p").unwrap().default_channel = Some("e".to_owned());
    let refusals = filter(&catalog, &wanted).err().unwrap();
    assert!(matches!(refusals.as_slice(), [Refusal::UnknownDefaultChannel { .. }]), "{refusals:?}");
}

#[test]
fn deprecations_follow_what_they_are_about() {
    let text = package_text(CHAIN)
        + "---\nschema: olm.deprecations\npackage: p\nentries:\n\
           - {reference: {schema: olm.package}, message: a}\n\
           - {reference: {schema: olm.channel, name: c}, message: b}\n\
           - {reference: {schema: olm.bundle, name: p.v1.0.0}, message: c}\n\
           - {reference: {schema: olm.bundle, name: p.v1.3.0}, message: d}\n\
           ---\nschema: example.com/x\npackage: p\n---\nschema: example.com/y\npackage: q\n\
           ---\nschema: example.com/z\n";
    let filtered = filter(&catalog(&text), &selection("c", Keep::Head)).unwrap().catalog;
    let messages: Vec<&str> =
        filtered.deprecations[0].entries().iter().map(|entry| entry.message.as_str()).collect();
    assert_eq!(messages, ["a", "b", "d"]);
    let schemas: Vec<&str> = filtered.others.iter().map(|other| other.meta.schema.as_str()).collect();
    assert_eq!(schemas, ["example.com/x", "example.com/z"]);
}

#[test]
fn who_no_longer_gets_to_the_head() {
    let stuck = |entries: &str, keep: Keep| {
        let filtered = filter(&catalog(&package_text(entries)), &selection("c", keep)).unwrap();
        let change = filtered.changes.channels.into_iter().next().unwrap();
        let short = |names: Vec<String>| names.join(" ").replace("p.v", "");
        (short(change.stuck_v0), short(change.stuck_v1))
    };
    let both = |text: &str| (text.to_owned(), text.to_owned());
    // 1.2.0 still upgrades by the edge that dangles.
    assert_eq!(stuck(CHAIN, Keep::Head), both("1.1.0 1.0.0"));
    assert_eq!(stuck(CHAIN, range("<1.2.0")), both("1.3.0 1.2.0"));
    assert_eq!(stuck("1.2.0<1.1.0~<1.2.0 1.1.0<1.0.0 1.0.0", Keep::Head), both(""));
    // 1.1.0 is skipped: from 1.0.0 only OLM v1 goes by way of it.
    let skipped = "1.3.0<1.2.0-1.1.0 1.2.0<1.0.0 1.1.0<1.0.0 1.0.0";
    assert_eq!(stuck(skipped, range(">=1.1, !=1.2.0")), ("1.0.0".to_owned(), String::new()));
}

#[test]
fn requirements_that_were_met() {
    let required = "- {type: olm.package.required, value: {packageName: q, versionRange: '>=1.0.0'}}\n\
                    - {type: olm.gvk.required, value: {group: g, version: v1, kind: K}}\n\
                    - {type: olm.package.required, value: {packageName: never, versionRange: '>=1.0.0'}}\n";
    let provided = "- {type: olm.gvk, value: {group: g, version: v1, kind: K}}\n";
    let channel = |package: &str| {
        format!(
            "---\nschema: olm.package\nname: {package}\ndefaultChannel: c\n---\nschema: olm.channel\n\
             package: {package}\nname: c\nentries: [{{name: {package}.v1.0.0}}]\n"
        )
    };
    let text =
        channel("p") + &bundle("p", "1.0.0", required) + &channel("q") + &bundle("q", "1.0.0", provided);
    let catalog = catalog(&text);
    assert_eq!(filter(&catalog, &whole(&["p", "q"])).unwrap().changes.lost_dependencies, []);
    let changes = filter(&catalog, &whole(&["p"])).unwrap().changes;
    assert_eq!(changes.packages, ["q"]);
    let lost: Vec<&Requirement> = changes.lost_dependencies.iter().map(|lost| &lost.requirement).collect();
    assert_eq!(
        lost,
        [
            &Requirement::Package { name: "q".to_owned(), range: ">=1.0.0".to_owned() },
            &Requirement::Api { group: "g".to_owned(), version: "v1".to_owned(), kind: "K".to_owned() },
        ]
    );
}

#[test]
fn ten_thousand_entries() {
    let entries: Vec<String> = (0..10_000)
        .rev()
        .map(|n: u32| match n {
            0 => "1.0.0".to_owned(),
            n => format!("1.{n}.0<1.{}.0~>=1.{}.0_<1.{n}.0", n - 1, n.saturating_sub(50)),
        })
        .collect();
    let catalog = catalog(&package_text(&entries.join(" ")));
    let filtered = filter(&catalog, &selection("c", range(">=1.5000"))).unwrap();
    assert_eq!(filtered.catalog.bundles.len(), 5_000);
}

fn rendered(catalog: &Catalog) -> String {
    let mut text = Vec::new();
    writer::write(catalog, Format::Json, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn is_sound(channel: &Channel) -> bool {
    let analysis = ChannelAnalysis::from_entries(channel.entries());
    analysis.head().is_some()
        && analysis.stranded.is_empty()
        && !matches!(analysis.end, ChainEnd::Cycle { .. })
}

prop_compose! {
    /// Entries of which each may replace and skip lower ones.
    fn any_channel()(words in prop::collection::vec((0usize..4, prop::collection::vec(1usize..5, 0..3), any::<bool>()), 1..9)) -> String {
        let version = |n: usize| format!("1.{n}.0");
        let entries = words.iter().enumerate().rev().map(|(n, (replaces, skips, ranged))| {
            let mut word = version(n);
            if *replaces > 0 && *replaces <= n {
                word += &format!("<{}", version(n - replaces));
            }
            let skips: Vec<String> = skips.iter().filter(|skip| **skip <= n).map(|skip| version(n - skip)).collect();
            if !skips.is_empty() {
                word += &format!("-{}", skips.join(","));
            }
            if *ranged {
                word += &format!("~<{}", version(n));
            }
            word
        });
        entries.collect::<Vec<_>>().join(" ")
    }
}

/// All ways, tried one by one.
fn slow_ways(channel: &Channel, kept: &[&str], v0: bool) -> BTreeSet<String> {
    let version = |name: &str| Version::parse(name.trim_start_matches("p.v")).unwrap();
    let left: Vec<_> = channel.entries().iter().filter(|entry| kept.contains(&entry.name.as_str())).collect();
    let owned: Vec<_> = left.iter().map(|entry| (*entry).clone()).collect();
    let Some(head) = ChannelAnalysis::from_entries(&owned).head().map(|head| owned[head].name.clone()) else {
        return BTreeSet::new();
    };
    let takes = |entry: &fbc_model::ChannelEntry, name: &str| {
        entry.replaces == name
            || entry.skips.iter().any(|skip| skip == name)
            || fbc_version::blang::Range::parse(&entry.skip_range)
                .is_ok_and(|range| range.matches(&version(name)))
    };
    let is_skipped = |name: &str| left.iter().any(|entry| entry.skips.iter().any(|skip| skip == name));
    let next = |name: &str| -> Vec<String> {
        let takers = left.iter().filter(|entry| takes(entry, name)).map(|entry| entry.name.clone());
        if v0 {
            takers.filter(|taker| *taker == head || !is_skipped(taker)).collect()
        } else {
            takers.max_by(|a, b| version(a).compare_precedence(&version(b))).into_iter().collect()
        }
    };
    let mut reaching = BTreeSet::new();
    for entry in channel.entries() {
        let mut seen = BTreeSet::new();
        let mut open = vec![entry.name.clone()];
        while let Some(name) = open.pop() {
            if name == head {
                reaching.insert(entry.name.clone());
            }
            if seen.insert(name.clone()) {
                open.extend(next(&name));
            }
        }
    }
    reaching
}

proptest! {
    #[test]
    fn everything_is_identity(entries in any_channel()) {
        let catalog = catalog(&package_text(&entries));
        let filtered = filter(&catalog, &whole(&["p"])).unwrap();
        prop_assert_eq!(rendered(&filtered.catalog), rendered(&catalog));
        prop_assert_eq!(filtered.changes, Changes::default());
    }

    #[test]
    fn what_stays_is_sound_and_filtering_twice_changes_nothing(
        entries in any_channel(), low in 0u32..9, high in 0u32..9, other in 0u32..9,
    ) {
        let catalog = catalog(&package_text(&entries));
        let wanted = selection("c", range(&format!(">=1.{low}.0 <=1.{high}.0 || 1.{other}.0")));
        if let Ok(filtered) = filter(&catalog, &wanted) {
            let channel = &filtered.catalog.channels[0];
            prop_assert!(is_sound(channel), "{:?}", channel.entries());
            prop_assert_eq!(channel.entries().len(), filtered.catalog.bundles.len());
            let again = filter(&filtered.catalog, &wanted).unwrap();
            prop_assert_eq!(rendered(&again.catalog), rendered(&filtered.catalog));
            prop_assert_eq!(again.changes, Changes::default());
        }
    }

    #[test]
    fn ways_agree_with_trying_all(entries in any_channel(), low in 0u32..5, high in 3u32..9) {
        let catalog = catalog(&package_text(&entries));
        if let Ok(filtered) = filter(&catalog, &selection("c", range(&format!(">=1.{low}.0 <=1.{high}.0")))) {
            let before = &catalog.channels[0];
            let all: Vec<&str> = before.entries().iter().map(|entry| entry.name.as_str()).collect();
            let kept: Vec<&str> =
                filtered.catalog.channels[0].entries().iter().map(|entry| entry.name.as_str()).collect();
            for v0 in [true, false] {
                let lost: BTreeSet<String> =
                    slow_ways(before, &all, v0).difference(&slow_ways(before, &kept, v0)).cloned().collect();
                let told: BTreeSet<String> = filtered.changes.channels.iter()
                    .flat_map(|change| if v0 { &change.stuck_v0 } else { &change.stuck_v1 })
                    .cloned()
                    .collect();
                prop_assert_eq!(told, lost, "v0: {}", v0);
            }
        }
    }

    #[test]
    fn the_way_from_a_version_is_sound_and_leads_to_the_head(entries in any_channel(), from in 0u32..9) {
        let catalog = catalog(&package_text(&entries));
        let wanted = selection("c", Keep::WayFrom(Version::new(1, u64::from(from), 0)));
        if let Ok(filtered) = filter(&catalog, &wanted) {
            let channel = &filtered.catalog.channels[0];
            prop_assert!(is_sound(channel), "{:?}", channel.entries());
            let name = format!("p.v1.{from}.0");
            if catalog.bundles.iter().any(|bundle| bundle.name == name) {
                let kept: Vec<&str> = channel.entries().iter().map(|entry| entry.name.as_str()).collect();
                prop_assert!(slow_ways(&catalog.channels[0], &kept, false).contains(&name));
            }
        }
    }
}
