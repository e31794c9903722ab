//! Tables for moves, and a slow model of them: edge by edge, with no order of nodes and no runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use fbc_model::load::load_bytes;
use fbc_model::{Catalog, ChannelEntry};
use fbc_version::blang::Range;
use proptest::prelude::*;

use super::*;

/// A catalog of package `p` in which entry `p.v1.N.0` has version `1.N.0`.
pub(crate) fn catalog(channels: &[(&str, Vec<ChannelEntry>)], deprecated: &[&str]) -> Catalog {
    let mut text = "{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"a\"}".to_owned();
    let mut bundles = BTreeSet::new();
    for (name, entries) in channels {
        let list: Vec<String> = entries
            .iter()
            .map(|entry| {
                bundles.insert(entry.name.clone());
                format!(
                    "{{\"name\":{:?},\"replaces\":{:?},\"skips\":{:?},\"skipRange\":{:?}}}",
                    entry.name, entry.replaces, entry.skips, entry.skip_range
                )
            })
            .collect();
        let list = list.join(",");
        write!(
            text,
            "{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":{name:?},\"entries\":[{list}]}}"
        )
        .unwrap();
    }
    for bundle in bundles {
        let version = bundle.split_once(".v").unwrap().1;
        write!(
            text,
            "{{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":{bundle:?},\"image\":\"i\",\"properties\":\
             [{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"p\",\"version\":{version:?}}}}}]}}"
        )
        .unwrap();
    }
    let entries: Vec<String> = deprecated
        .iter()
        .map(|name| {
            format!("{{\"reference\":{{\"schema\":\"olm.bundle\",\"name\":{name:?}}},\"message\":\"old\"}}")
        })
        .collect();
    let entries = entries.join(",");
    write!(text, "{{\"schema\":\"olm.deprecations\",\"package\":\"p\",\"entries\":[{entries}]}}").unwrap();
    let catalog = load_bytes(Path::new("catalog.json"), text.as_bytes());
    assert!(catalog.faults.is_empty(), "{:?}\n{text}", catalog.faults);
    catalog
}

pub(crate) fn entry(name: &str, replaces: &str, skips: &[&str], range: &str) -> ChannelEntry {
    ChannelEntry {
        name: name.to_owned(),
        replaces: replaces.to_owned(),
        skips: skips.iter().map(|&skip| skip.to_owned()).collect(),
        skip_range: range.to_owned(),
    }
}

/// Where each node moves, as `from>to` by version.
pub(crate) fn next_of(catalog: &Catalog, channels: &[&str], semantics: Semantics) -> Vec<String> {
    let graph = PackageGraph::from_catalog(catalog, "p");
    let followed: Vec<_> =
        graph.channels.iter().filter(|channel| channels.contains(&channel.name.as_str())).collect();
    let moves = Moves::new(&graph, &followed, semantics);
    let pairs = moves.next.iter().enumerate().filter_map(|(node, next)| {
        Some(format!("{}>{}", graph.nodes[node].label(), graph.nodes[(*next)?.to].label()))
    });
    pairs.collect()
}

#[test]
fn v0_passes_what_is_skipped_where_opm_stops() {
    // opm says that 1.0.0 is stranded; the cluster reaches it through the skipped 2.0.0.
    let entries = vec![
        entry("p.v3.0.0", "p.v2.0.0", &["p.v2.0.0"], ""),
        entry("p.v2.0.0", "p.v1.0.0", &[], ""),
        entry("p.v1.0.0", "p.v0.1.0", &[], ""),
    ];
    let catalog = catalog(&[("a", entries)], &[]);
    assert_eq!(next_of(&catalog, &["a"], Semantics::V0), ["0.1.0>1.0.0", "2.0.0>3.0.0"]);
    assert!(!PackageGraph::from_catalog(&catalog, "p").channels[0].is_sound());
}

#[test]
fn v1_prefers_what_is_not_deprecated() {
    let entries = vec![
        entry("p.v3.0.0", "", &[], "<3.0.0"),
        entry("p.v2.0.0", "", &[], "<2.0.0"),
        entry("p.v1.0.0", "", &[], ""),
    ];
    let plain = catalog(&[("a", entries.clone())], &["p.v3.0.0"]);
    assert_eq!(next_of(&plain, &["a"], Semantics::V1), ["1.0.0>2.0.0"]);
    let all_old = catalog(&[("a", entries)], &["p.v3.0.0", "p.v2.0.0"]);
    // 1.0.0 is not deprecated and stays; of two deprecated versions the higher one wins.
    assert_eq!(next_of(&all_old, &["a"], Semantics::V1), ["2.0.0>3.0.0"]);
}

#[test]
fn v1_may_go_back_where_the_installed_version_is_not_in_the_channel() {
    let channels =
        [("a", vec![entry("p.v1.0.0", "", &["p.v2.0.0"], "")]), ("b", vec![entry("p.v2.0.0", "", &[], "")])];
    let catalog = catalog(&channels, &[]);
    assert_eq!(next_of(&catalog, &["a"], Semantics::V1), ["2.0.0>1.0.0"]);
    assert!(next_of(&catalog, &["a", "b"], Semantics::V1).is_empty());
}

#[test]
fn updates_may_run_in_circles() {
    // Each covers the other by range; only OLM v0 follows that, for want of a look at versions.
    let entries = vec![entry("p.v2.0.0", "p.v1.0.0", &[], ""), entry("p.v1.0.0", "", &[], ">=2.0.0")];
    let catalog = catalog(&[("a", entries)], &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    let moves = Moves::new(&graph, &[&graph.channels[0]], Semantics::V0);
    assert!(moves.routes.iter().all(|route| route.is_circle));
    assert_eq!(moves.route(0).len(), 2);
}

#[test]
fn large_channels_are_no_matter() {
    let count = 10_000;
    let entries: Vec<ChannelEntry> = (0..count)
        .map(|i| {
            let replaces = if i == 0 { String::new() } else { format!("p.v1.{}.0", i - 1) };
            entry(&format!("p.v1.{i}.0"), &replaces, &[], &format!("<1.{i}.0"))
        })
        .collect();
    let catalog = catalog(&[("a", entries)], &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    for semantics in [Semantics::V0, Semantics::V1] {
        let moves = Moves::new(&graph, &[&graph.channels[0]], semantics);
        assert!(moves.routes.iter().all(|route| route.end == count - 1 && route.hops <= 1));
        let ways = moves.shortest_ways(&[&graph.channels[0]], count - 1);
        assert!(ways.iter().all(|way| way.is_some_and(|(hops, _)| hops <= 1)));
    }
}

// ---------------------------------------------------------------------------------- the slow model

/// What the model knows of an entry: its bundle, its place in the list of channels, and the entry.
struct SlowEntry<'c> {
    version: u64,
    entry: &'c ChannelEntry,
}

fn version_of(name: &str) -> u64 {
    name.split('.').nth(2).unwrap().parse().unwrap()
}

fn covers(entry: &ChannelEntry, name: &str) -> bool {
    let version = fbc_version::Version::parse(name.split_once(".v").unwrap().1).unwrap();
    entry.replaces == name
        || entry.skips.iter().any(|skip| skip == name)
        || Range::parse(&entry.skip_range).is_ok_and(|range| range.matches(&version))
}

fn slow_order_v0(entries: &[ChannelEntry]) -> Vec<SlowEntry<'_>> {
    let refers =
        |from: &ChannelEntry, name: &str| from.replaces == name || from.skips.iter().any(|skip| skip == name);
    let heads: Vec<_> =
        entries.iter().filter(|entry| !entries.iter().any(|other| refers(other, &entry.name))).collect();
    let [head] = heads[..] else { return Vec::new() };
    let mut order = Vec::new();
    let mut visited = BTreeSet::new();
    let mut current = Some(head);
    while let Some(entry) = current {
        if !visited.insert(&entry.name) {
            return Vec::new();
        }
        if !entries.iter().any(|other| other.skips.contains(&entry.name)) {
            order.push(SlowEntry { version: version_of(&entry.name), entry });
        }
        current = entries.iter().find(|other| other.name == entry.replaces);
    }
    order
}

/// By name: what is installed next.
fn slow_next(
    channels: &[Vec<ChannelEntry>],
    deprecated: &[&str],
    semantics: Semantics,
    name: &str,
) -> Option<String> {
    let all: Vec<&ChannelEntry> = channels.iter().flatten().collect();
    match semantics {
        Semantics::V0 => {
            let order = slow_order_v0(&channels[0]);
            let best = order.iter().find(|candidate| covers(candidate.entry, name))?;
            (best.entry.name != name).then(|| best.entry.name.clone())
        }
        Semantics::V1 => {
            let mut candidates: Vec<SlowEntry<'_>> = all
                .iter()
                .filter(|entry| entry.name == name || covers(entry, name))
                .map(|entry| SlowEntry { version: version_of(&entry.name), entry })
                .collect();
            let is_deprecated = |entry: &ChannelEntry| deprecated.contains(&entry.name.as_str());
            candidates.sort_by_key(|c| (is_deprecated(c.entry), std::cmp::Reverse(c.version)));
            let best = candidates.first()?;
            (best.entry.name != name).then(|| best.entry.name.clone())
        }
    }
}

/// Fewest updates to a target by plain breadth-first search from each start.
fn slow_shortest(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> Option<usize> {
    let mut reached = BTreeSet::from([from.to_owned()]);
    for hops in 0..=edges.len() {
        if reached.contains(to) {
            return Some(hops);
        }
        let more: Vec<String> =
            reached.iter().filter_map(|name| edges.get(name)).flatten().cloned().collect();
        reached.extend(more);
    }
    None
}

/// Channels of up to eight entries with edges of all kinds, to what is there and what is not.
fn channel() -> impl Strategy<Value = Vec<ChannelEntry>> {
    let range = prop_oneof![
        3 => Just(String::new()),
        1 => Just("bad".to_owned()),
        4 => (0..9_u64, 0..10_u64).prop_map(|(low, high)| format!(">=1.{low}.0 <1.{high}.0")),
        1 => (0..9_u64, 0..9_u64).prop_map(|(a, b)| format!("<1.{a}.0 || >1.{b}.0")),
    ];
    let edges = (any::<bool>(), 0..10_usize, prop::collection::vec(0..10_usize, 0..3), range);
    (prop::sample::subsequence((0..9_usize).collect::<Vec<_>>(), 0..9), prop::collection::vec(edges, 9))
        .prop_map(|(members, edges)| {
            let name = |number: usize| format!("p.v1.{number}.0");
            let mut entries: Vec<ChannelEntry> = Vec::new();
            for (&member, (is_chained, replaces, skips, range)) in members.iter().zip(edges) {
                // Mostly each entry replaces the one before, so that there are chains to walk.
                let before = entries.last().map(|entry| entry.name.clone()).unwrap_or_default();
                let replaces = if is_chained { before } else { name(replaces) };
                let skips = skips.into_iter().filter(|&skip| skip < member).map(name).collect();
                entries.push(ChannelEntry { name: name(member), replaces, skips, skip_range: range });
            }
            entries
        })
}

proptest! {
    #[test]
    fn agrees_with_the_slow_model(
        channels in prop::collection::vec(channel(), 1..3),
        deprecated in prop::collection::vec(0..9_usize, 0..3),
    ) {
        let deprecated: Vec<String> = deprecated.iter().map(|number| format!("p.v1.{number}.0")).collect();
        let deprecated: Vec<&str> = deprecated.iter().map(String::as_str).collect();
        let named: Vec<_> = ["a", "b"].into_iter().zip(channels.clone()).collect();
        let catalog = catalog(&named, &deprecated);
        let graph = PackageGraph::from_catalog(&catalog, "p");
        for semantics in [Semantics::V0, Semantics::V1] {
            let followed: Vec<_> = graph.channels.iter().take(if semantics == Semantics::V0 { 1 } else { 2 }).collect();
            let moves = Moves::new(&graph, &followed, semantics);
            let slow_candidates: Vec<&ChannelEntry> = match semantics {
                Semantics::V0 => slow_order_v0(&channels[0]).into_iter().map(|found| found.entry).collect(),
                Semantics::V1 => channels.iter().flatten().collect(),
            };
            let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (index, node) in graph.nodes.iter().enumerate() {
                let next = moves.next[index].map(|next| graph.nodes[next.to].name.clone());
                prop_assert_eq!(&next, &slow_next(&channels, &deprecated, semantics, &node.name), "{:?} {}", semantics, node.name);
                for candidate in slow_candidates.iter().filter(|entry| covers(entry, &node.name)) {
                    edges.entry(node.name.clone()).or_default().insert(candidate.name.clone());
                }
                // The route is what following the updates one by one gives.
                let mut seen = vec![index];
                let mut current = index;
                while let Some(step) = moves.next[current] {
                    current = step.to;
                    if seen.contains(&current) { break; }
                    seen.push(current);
                }
                let route = moves.routes[index];
                let is_circle = moves.next[current].is_some();
                prop_assert_eq!(route.is_circle, is_circle);
                if is_circle {
                    prop_assert_eq!(route.hops, seen.iter().position(|node| *node == route.end).unwrap());
                    prop_assert_eq!(route.end, current);
                } else {
                    prop_assert_eq!((route.end, route.hops), (current, seen.len() - 1));
                }
            }
            for target in 0..graph.nodes.len() {
                for (node, hops) in moves.updates_until(target).into_iter().enumerate() {
                    let step = moves.route(node).iter().position(|step| step.to == target);
                    prop_assert_eq!(hops, if node == target { Some(0) } else { step.map(|step| step + 1) });
                }
                let ways = moves.shortest_ways(&followed, target);
                for (node, way) in ways.iter().enumerate() {
                    let (from, to) = (&graph.nodes[node].name, &graph.nodes[target].name);
                    prop_assert_eq!(way.map(|(hops, _)| hops), slow_shortest(&edges, from, to), "{} to {}", from, to);
                }
            }
        }
    }
}
