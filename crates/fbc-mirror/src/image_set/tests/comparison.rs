//! Selections beside a second reading of the filter that oc-mirror calls, written from its source alone, on recorded catalogs.
//!
//! Source: `sherine-k/catalog-filter:pkg/filter/mirror-config/v1alpha1` (`mirror-filter.go`, `channel.go`, `catalog-index.go`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fbc_graph::bundle_version;
use fbc_model::load::load_tree;
use fbc_model::tree::DiskTree;
use fbc_model::{Catalog, Channel};
use fbc_version::Version;

use super::super::*;

/// What a configuration says of one package.
#[derive(Clone, Debug, Default)]
struct Wanted {
    full: bool,
    /// Nothing if no package is named.
    package: Option<Limits>,
    default_channel: Option<String>,
    channels: Vec<(String, Limits)>,
}

#[derive(Clone, Debug, Default)]
struct Limits {
    min: Option<String>,
    max: Option<String>,
}

impl Limits {
    fn of(min: Option<&String>, max: Option<&String>) -> Self {
        Self { min: min.cloned(), max: max.cloned() }
    }

    fn range(&self) -> Option<String> {
        let min = self.min.iter().map(|min| format!(">={min}"));
        let all: Vec<String> = min.chain(self.max.iter().map(|max| format!("<={max}"))).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    fn text(&self) -> String {
        let min = self.min.iter().map(|min| format!(", minVersion: '{min}'"));
        min.chain(self.max.iter().map(|max| format!(", maxVersion: '{max}'"))).collect()
    }
}

impl Wanted {
    fn text(&self, package: &str) -> String {
        let mut text = format!(
            "kind: ImageSetConfiguration\napiVersion: {API_VERSION}\nmirror:\n  operators:\n  - catalog: quay.io/x/index:v1\n    full: {}\n",
            self.full
        );
        if let Some(limits) = &self.package {
            let channel = |(name, limits): &(String, Limits)| format!("{{name: '{name}'{}}}", limits.text());
            let channels: Vec<String> = self.channels.iter().map(channel).collect();
            let default = self.default_channel.iter().map(|name| format!(", defaultChannel: '{name}'"));
            text += &format!(
                "    packages: [{{name: '{package}'{}{}, channels: [{}]}}]\n",
                limits.text(),
                default.collect::<String>(),
                channels.join(", ")
            );
        }
        text
    }
}

type Selected = BTreeMap<String, BTreeSet<String>>;

/// The second reading: the entries of each channel that are left, or nothing for an error.
fn second_reading(catalog: &Catalog, wanted: &Wanted) -> Option<Selected> {
    let package = &catalog.packages[0];
    let is_named = |channel: &&Channel| {
        wanted.channels.is_empty() || wanted.channels.iter().any(|(name, _)| *name == channel.name)
    };
    let channels: Vec<&Channel> = catalog.channels.iter().filter(is_named).collect();
    let mut versions: HashMap<&str, Version> = HashMap::new();
    for bundle in &catalog.bundles {
        versions.insert(&bundle.name, bundle_version::find(bundle)?.version);
    }
    if let Some(limits) = &wanted.package {
        let both = wanted.channels.iter().any(|(_, own)| own.range().is_some()) && limits.range().is_some();
        let default = wanted.default_channel.as_ref().unwrap_or(&package.default_channel);
        if both || !channels.iter().any(|channel| channel.name == *default) {
            return None;
        }
    }
    let mut selected = Selected::new();
    for channel in channels {
        let own = wanted.channels.iter().find(|(name, _)| *name == channel.name);
        let own = own.and_then(|(_, limits)| limits.range());
        let range = own.or_else(|| wanted.package.as_ref()?.range());
        let kept = match (wanted.full, range) {
            (true, Some(_)) => return None,
            (true, None) => channel.entries().iter().map(|entry| entry.name.clone()).collect(),
            (false, None) => BTreeSet::from([head(channel)?.to_owned()]),
            (false, Some(range)) => {
                let range = Range::parse(Grammar::Masterminds, Target::Latest, &range).ok()?;
                by_range(channel, &|name| versions.get(name).is_some_and(|version| range.matches(version)))?
            }
        };
        match kept.is_empty() {
            true if channel.name == package.default_channel => return None,
            true => {}
            false => _ = selected.insert(channel.name.clone(), kept),
        }
    }
    Some(selected)
}

/// The head of a channel that is sound.
fn head(channel: &Channel) -> Option<&str> {
    let entries = channel.entries();
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let mut into: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut from: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in entries {
        let named = entry.skips.iter().chain([&entry.replaces]).map(String::as_str);
        for name in named.filter(|name| !name.is_empty()) {
            into.entry(name).or_default().insert(&entry.name);
            from.entry(&entry.name).or_default().push(name);
        }
    }
    let heads: Vec<&str> = names.iter().copied().filter(|name| !into.contains_key(name)).collect();
    let [head] = heads.as_slice() else { return None };
    let mut queue = vec![*head];
    while let Some(name) = queue.pop() {
        for to in from.get(name).into_iter().flatten() {
            if let Some(left) = into.get_mut(to)
                && left.remove(name)
                && left.is_empty()
            {
                into.remove(to);
                queue.push(to);
            }
        }
    }
    (into.is_empty() && names.len() == entries.len()).then_some(*head)
}

/// The piece of the chain.
fn by_range(channel: &Channel, is_wanted: &dyn Fn(&str) -> bool) -> Option<BTreeSet<String>> {
    let entry = |name: &str| channel.entries().iter().find(|entry| entry.name == name);
    let mut chain = Vec::new();
    let mut next = Some(head(channel)?);
    while let Some(found) = next.and_then(entry) {
        chain.push(found);
        next = Some(found.replaces.as_str());
    }
    let below = |from: usize| {
        let names = chain.iter().skip(from).flat_map(|entry| entry.skips.iter().chain([&entry.name]));
        names.filter(|name| is_wanted(name) && entry(name).is_some()).collect::<BTreeSet<_>>().len()
    };
    let counts: Vec<usize> = (0..chain.len()).map(below).collect();
    let top = (0..chain.len()).rev().find(|at| counts[*at] == counts[0])?;
    let end = (0..chain.len()).find(|at| counts[*at] == 0).unwrap_or(chain.len());
    let piece = chain.get(top..end).unwrap_or_default();
    let skipped =
        piece.iter().flat_map(|entry| &entry.skips).filter(|name| is_wanted(name) && entry(name).is_some());
    Some(piece.iter().map(|entry| &entry.name).chain(skipped).cloned().collect())
}

/// What is selected here.
fn first_reading(catalog: &Catalog, wanted: &Wanted) -> Option<Selected> {
    let set = parse(wanted.text(&catalog.packages[0].name).as_bytes()).ok()?;
    let (selection, _) = set.orders[0].packages.selection(catalog);
    let kept = match selection {
        None => return Some(entries_of(catalog)),
        Some(selection) => fbc_graph::filter::filter(catalog, &selection).ok()?.catalog,
    };
    Some(entries_of(&kept))
}

fn entries_of(catalog: &Catalog) -> Selected {
    let entries = |channel: &Channel| channel.entries().iter().map(|entry| entry.name.clone()).collect();
    catalog.channels.iter().map(|channel| (channel.name.clone(), entries(channel))).collect()
}

/// Twenty configurations for a package.
fn configurations(catalog: &Catalog) -> Vec<(&'static str, Wanted)> {
    let default = catalog.packages[0].default_channel.clone();
    let names: Vec<String> = catalog.channels.iter().map(|channel| channel.name.clone()).collect();
    let other = names.iter().find(|name| **name != default).unwrap_or(&default).clone();
    let mut versions: Vec<Version> =
        catalog.bundles.iter().filter_map(|bundle| Some(bundle_version::find(bundle)?.version)).collect();
    versions.sort_by(Version::compare_precedence);
    let at =
        |quarter: usize| versions.get(versions.len().saturating_sub(1) * quarter / 4).map(Version::to_string);
    let [first, low, middle, high, last] = [0, 1, 2, 3, 4].map(at);
    let limits = |min: &Option<String>, max: &Option<String>| Limits::of(min.as_ref(), max.as_ref());
    let none = Limits::default;
    let package = |limits: Limits| Wanted { package: Some(limits), ..Wanted::default() };
    let channels = |channels: Vec<(&String, Limits)>| {
        let channels = channels.into_iter().map(|(name, limits)| (name.clone(), limits)).collect();
        Wanted { package: Some(none()), channels, ..Wanted::default() }
    };
    let all = || names.iter().map(|name| (name, none())).collect::<Vec<_>>();
    let gone = "no-such-channel".to_owned();
    vec![
        ("nothing", Wanted::default()),
        ("`full`", Wanted { full: true, ..Wanted::default() }),
        ("a package", package(none())),
        ("a package, `full`", Wanted { full: true, ..package(none()) }),
        ("a package from a version", package(limits(&middle, &None))),
        ("a package up to a version", package(limits(&None, &middle))),
        ("a package between versions", package(limits(&low, &high))),
        ("a package from its last version", package(limits(&last, &None))),
        ("a package up to its first version", package(limits(&None, &first))),
        ("a package beyond its versions", package(limits(&Some("999.0.0".to_owned()), &None))),
        ("the default channel", channels(vec![(&default, none())])),
        ("all channels", channels(all())),
        ("the default channel, `full`", Wanted { full: true, ..channels(vec![(&default, none())]) }),
        ("a channel from a version", channels(vec![(&default, limits(&middle, &None))])),
        ("a channel up to a version", channels(vec![(&default, limits(&None, &middle))])),
        ("a channel between versions", channels(vec![(&default, limits(&low, &high))])),
        ("another channel", channels(vec![(&other, none())])),
        (
            "another channel as the default",
            Wanted { default_channel: Some(other.clone()), ..channels(vec![(&other, none())]) },
        ),
        (
            "all channels with the range of the package",
            Wanted { package: Some(limits(&middle, &None)), ..channels(all()) },
        ),
        ("a channel that is gone", channels(vec![(&default, none()), (&gone, none())])),
        (
            "ranges of package and channel",
            Wanted {
                package: Some(limits(&low, &None)),
                ..channels(vec![(&default, limits(&middle, &None))])
            },
        ),
    ]
}

#[test]
fn recorded_catalogs_are_read_as_the_plugin_reads_them() {
    let Some(root) = fbc_testing::recordings("catalogs") else { return };
    let mut table: BTreeMap<&str, (usize, usize, Vec<String>)> = BTreeMap::new();
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    for folder in folders(&root).iter().flat_map(|catalog| folders(catalog)) {
        let catalog = load_tree(&DiskTree { root: folder.clone() });
        if catalog.packages.len() != 1 {
            continue;
        }
        for (title, wanted) in configurations(&catalog) {
            let (first, second) = (first_reading(&catalog, &wanted), second_reading(&catalog, &wanted));
            let (same, refused, different) = table.entry(title).or_default();
            match (first == second, first.is_none()) {
                (true, false) => *same += 1,
                (true, true) => *refused += 1,
                (false, _) => different.push(format!("{}: {first:?}\n   {second:?}", folder.display())),
            }
        }
    }
    let mut compared = 0;
    for (title, (same, refused, different)) in &table {
        compared += same + refused;
        println!("| {title} | {same} | {refused} | {} |", different.len());
        assert!(different.is_empty(), "{title}: {}", different.join("\n"));
    }
    assert!(compared > 1000, "{compared}");
}
