//! The resolver against a slow simple model: filter, sort, merge, in the steps of the specification.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use fbc_model::load::load_bytes;
use fbc_resolve::{
    CatalogIndex, ClusterCatalog, InstalledBundle, Request, ResolveError, Resolver, Rules, UpgradePolicy,
};
use fbc_version::{Grammar, Range, Target, Version, VersionRelease};
use proptest::prelude::*;

/// An entry: number of its bundle, of the one it replaces, of those it skips, and its range.
#[derive(Clone, Debug)]
struct Entry {
    bundle: usize,
    replaces: Option<usize>,
    skips: Vec<usize>,
    skip_range: &'static str,
}

#[derive(Clone, Debug)]
struct World {
    priority: i32,
    /// Numbers of versions.
    bundles: Vec<usize>,
    channels: Vec<(&'static str, Vec<Entry>)>,
    deprecated: Vec<usize>,
    dependent: Vec<usize>,
}

const VERSIONS: [&str; 9] =
    ["1.0.0", "1.0.1", "1.0.1+1", "1.0.1+2", "1.1.0-rc.1", "1.1.0", "2.0.0", "2.0.0+x_", "no version"];
const RANGES: [&str; 6] = ["", "1.x", ">=1.0.1-0", "1.0.1+1", "<2", "9"];
const SKIP_RANGES: [&str; 5] = ["", "", ">=1.0.0 <1.1.0", "<2.0.0", "broken"];
const CHANNELS: [&str; 3] = ["alpha", "beta", "gone"];

fn name(number: usize) -> String {
    format!("foo.{number}")
}

fn numbers(most: usize) -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..VERSIONS.len(), 0..most)
}

fn world() -> impl Strategy<Value = World> {
    let entry = (
        0..VERSIONS.len(),
        proptest::option::of(0..VERSIONS.len()),
        numbers(3),
        proptest::sample::select(&SKIP_RANGES[..]),
    )
        .prop_map(|(bundle, replaces, skips, skip_range)| Entry { bundle, replaces, skips, skip_range });
    let entries = proptest::collection::vec(entry, 0..6);
    (
        proptest::sample::select(vec![0, 0, 5]),
        proptest::collection::btree_set(0..VERSIONS.len(), 0..VERSIONS.len()),
        proptest::collection::vec((proptest::sample::select(&CHANNELS[..2]), entries), 0..4),
        numbers(3),
        numbers(2),
    )
        .prop_map(|(priority, bundles, channels, deprecated, dependent)| World {
            priority,
            bundles: bundles.into_iter().rev().collect(),
            channels,
            deprecated,
            dependent,
        })
}

fn request() -> impl Strategy<Value = Request> {
    (
        proptest::sample::select(&RANGES[..]),
        proptest::collection::btree_set(proptest::sample::select(&CHANNELS[..]), 0..3),
        proptest::option::of(0..VERSIONS.len()),
        any::<bool>(),
    )
        .prop_map(|(range, channels, installed, is_certified)| Request {
            version: range.to_owned(),
            channels: channels.into_iter().map(str::to_owned).collect(),
            policy: if is_certified { UpgradePolicy::SelfCertified } else { UpgradePolicy::CatalogProvided },
            installed: installed.map(|number| InstalledBundle {
                name: name(number),
                version: VERSIONS[number].to_owned(),
                release: None,
            }),
            ..Request::of_package("foo")
        })
}

impl World {
    fn json(&self) -> String {
        let mut text = String::new();
        for &number in &self.bundles {
            let version = VERSIONS[number];
            let dependency = if self.dependent.contains(&number) {
                r#", {"type": "olm.constraint", "value": {}}"#
            } else {
                ""
            };
            text.push_str(&format!(
                r#"{{"schema": "olm.bundle", "package": "foo", "name": "{}", "image": "i", "properties":
                [{{"type": "olm.package", "value": {{"packageName": "foo", "version": "{version}"}}}}{dependency}]}}"#,
                name(number)
            ));
        }
        for (channel, entries) in &self.channels {
            let entries: Vec<String> = entries
                .iter()
                .map(|entry| {
                    let skips: Vec<String> =
                        entry.skips.iter().map(|&skip| format!("{:?}", name(skip))).collect();
                    format!(
                        r#"{{"name": "{}", "replaces": "{}", "skips": [{}], "skipRange": "{}"}}"#,
                        name(entry.bundle),
                        entry.replaces.map(name).unwrap_or_default(),
                        skips.join(","),
                        entry.skip_range
                    )
                })
                .collect();
            text.push_str(&format!(
                r#"{{"schema": "olm.channel", "package": "foo", "name": "{channel}", "entries": [{}]}}"#,
                entries.join(",")
            ));
        }
        let deprecated: Vec<String> = self
            .deprecated
            .iter()
            .map(|&number| {
                let reference = format!(r#"{{"schema": "olm.bundle", "name": "{}"}}"#, name(number));
                format!(r#"{{"reference": {reference}, "message": "m"}}"#)
            })
            .collect();
        text.push_str(&format!(
            r#"{{"schema": "olm.deprecations", "package": "foo", "entries": [{}]}}"#,
            deprecated.join(",")
        ));
        text
    }
}

/// The version of a bundle as the target sees it.
fn version(number: usize, target: Target) -> Option<VersionRelease> {
    let version = Version::parse(VERSIONS[number]).ok()?;
    Some(match target {
        Target::Ocp419 => VersionRelease::new(version, fbc_version::Release::default()),
        _ => VersionRelease::from_build_metadata(version),
    })
}

fn is_edge(entry: &Entry, number: usize) -> bool {
    entry.replaces == Some(number)
        || entry.skips.contains(&number)
        || Range::parse(Grammar::Blang, Target::Latest, entry.skip_range)
            .is_ok_and(|range| Version::parse(VERSIONS[number]).is_ok_and(|version| range.matches(&version)))
}

/// The answer of the model: catalog and bundle, or `none`, `ambiguous`, `installed`, `dependency`, `version`.
fn model(worlds: &[World], request: &Request, target: Target) -> String {
    let installed = request.installed.as_ref().filter(|_| request.policy == UpgradePolicy::CatalogProvided);
    let installed =
        installed.map(|bundle| (0..VERSIONS.len()).find(|&number| name(number) == bundle.name).unwrap());
    let range = (!request.version.is_empty())
        .then(|| Range::parse(Grammar::Masterminds, target, &request.version).unwrap());
    let mut kept: Vec<(usize, usize, bool)> = Vec::new();
    for (catalog, world) in worlds.iter().enumerate() {
        let channels: Vec<&(&str, Vec<Entry>)> = world
            .channels
            .iter()
            .filter(|(channel, _)| {
                request.channels.is_empty() || request.channels.iter().any(|name| name == channel)
            })
            .collect();
        if installed.is_some_and(|number| Version::parse(VERSIONS[number]).is_err()) {
            return "installed".to_owned();
        }
        let mut left = world.bundles.clone();
        if !request.channels.is_empty() {
            left.retain(|bundle| {
                channels.iter().any(|(_, entries)| entries.iter().any(|entry| entry.bundle == *bundle))
            });
        }
        if let Some(range) = &range {
            left.retain(|&bundle| version(bundle, target).is_some_and(|found| range.matches(&found.version)));
        }
        if let Some(number) = installed {
            let same = version(number, target).unwrap();
            left.retain(|&bundle| {
                channels.iter().any(|(_, entries)| {
                    entries.iter().any(|entry| entry.bundle == bundle && is_edge(entry, number))
                }) || version(bundle, target).is_some_and(|found| found.compare_precedence(&same).is_eq())
            });
        }
        left.sort_by(|&a, &b| {
            let is_deprecated = |bundle| world.deprecated.contains(&bundle);
            is_deprecated(a).cmp(&is_deprecated(b)).then_with(|| {
                match (version(a, target), version(b, target)) {
                    (Some(a), Some(b)) => b.compare_precedence(&a),
                    (Some(_), None) => Ordering::Less,
                    (None, Some(_)) => Ordering::Greater,
                    (None, None) => Ordering::Equal,
                }
            })
        });
        let Some(&first) = left.first() else { continue };
        let is_deprecated = world.deprecated.contains(&first);
        match kept.last() {
            Some((_, _, false)) if is_deprecated => continue,
            Some((_, _, true)) if !is_deprecated => kept.clear(),
            _ => {}
        }
        kept.push((catalog, first, is_deprecated));
    }
    kept.sort_by_key(|(catalog, ..)| -worlds[*catalog].priority);
    let (catalog, bundle) = match kept.as_slice() {
        [] => return "none".to_owned(),
        [(catalog, bundle, _)] => (*catalog, *bundle),
        [(catalog, bundle, _), (second, ..), ..] if worlds[*catalog].priority > worlds[*second].priority => {
            (*catalog, *bundle)
        }
        _ => return "ambiguous".to_owned(),
    };
    if version(bundle, target).is_none() {
        "version".to_owned()
    } else if worlds[catalog].dependent.contains(&bundle) {
        "dependency".to_owned()
    } else {
        format!("{catalog} {}", name(bundle))
    }
}

fn resolver(worlds: &[World], rules: Rules) -> Resolver {
    let catalogs = worlds.iter().enumerate().map(|(number, world)| {
        let catalog = load_bytes(Path::new("catalog.json"), world.json().as_bytes());
        assert_eq!(catalog.faults, []);
        let index = Arc::new(CatalogIndex::new(catalog, rules));
        ClusterCatalog { priority: world.priority, ..ClusterCatalog::serving(number.to_string(), index) }
    });
    // In another order than by name, which must not matter.
    Resolver::new(rules, catalogs.rev()).unwrap()
}

/// The number of steps of the shortest way, one breadth after another, in the channels of the request.
fn steps(world: &World, request: &Request, from: usize, to: usize) -> Option<usize> {
    let mut reached = BTreeSet::from([from]);
    for step in 1..=VERSIONS.len() {
        let next: BTreeSet<usize> = world
            .channels
            .iter()
            .filter(|(channel, _)| {
                request.channels.is_empty() || request.channels.iter().any(|name| name == channel)
            })
            .flat_map(|(_, entries)| entries)
            .filter(|entry| world.bundles.contains(&entry.bundle))
            .filter(|entry| reached.iter().any(|&number| is_edge(entry, number)))
            .map(|entry| entry.bundle)
            .collect();
        if next.contains(&to) {
            return Some(step);
        }
        // What declares a dependency is never installed, so no way leads over it.
        reached.extend(next.into_iter().filter(|bundle| !world.dependent.contains(bundle)));
    }
    None
}

proptest! {
    #[test]
    fn resolves_as_the_model(worlds in proptest::collection::vec(world(), 1..4), request in request(), is_latest in any::<bool>()) {
        let rules = Rules::from_target(if is_latest { Target::Latest } else { Target::Ocp419 });
        let resolver = resolver(&worlds, rules);
        let answer = match resolver.resolve(&request) {
            Ok(found) => format!("{} {}", found.catalog.name, found.bundle.blob.name),
            Err(ResolveError::NoBundle { .. }) => "none".to_owned(),
            Err(ResolveError::Ambiguous { .. }) => "ambiguous".to_owned(),
            Err(ResolveError::InstalledVersion(_)) => "installed".to_owned(),
            Err(ResolveError::Dependency { .. }) => "dependency".to_owned(),
            Err(ResolveError::BundleVersion { .. }) => "version".to_owned(),
            Err(other) => other.to_string(),
        };
        prop_assert_eq!(answer, model(&worlds, &request, rules.target));
    }

    #[test]
    fn explanations_agree_with_answers(worlds in proptest::collection::vec(world(), 1..4), request in request()) {
        let resolver = resolver(&worlds, Rules::default());
        let explanation = resolver.explain(&request);
        let outcome = resolver.resolve(&request);
        match (&explanation.outcome, &outcome) {
            (Ok(explained), Ok(found)) => prop_assert_eq!(&explained.bundle.blob, &found.bundle.blob),
            (explained, found) => prop_assert_eq!(explained.as_ref().err(), found.as_ref().err()),
        }
        let candidates: Vec<&str> = explanation
            .catalogs
            .iter()
            .flat_map(|catalog| &catalog.bundles)
            .filter(|bundle| bundle.is_candidate)
            .map(|bundle| bundle.bundle.blob.name.as_str())
            .collect();
        if let Ok(found) = &outcome {
            prop_assert!(candidates.contains(&found.bundle.blob.name.as_str()));
        }
        let is_empty = matches!(outcome, Err(ResolveError::NoBundle { .. }));
        prop_assert!(!is_empty || candidates.is_empty());
        let Some(wanted) = &explanation.wanted else { return Ok(()) };
        let Some(installed) = request.installed.as_ref().filter(|_| request.policy == UpgradePolicy::CatalogProvided) else { return Ok(()) };
        let number = |text: &str| (0..VERSIONS.len()).find(|&number| name(number) == text).unwrap();
        let world = &worlds[wanted.catalog.name.parse::<usize>().unwrap()];
        let from = number(&installed.name);
        let to = number(&wanted.bundle.blob.name);
        // From a bundle to itself no way is needed.
        if from != to {
            let expected = steps(world, &request, from, to);
            prop_assert_eq!(wanted.route.as_ref().map(Vec::len), expected);
        }
    }
}
