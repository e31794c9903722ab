//! What in an expansion its author may not have meant: nothing that opm refuses.

mod place;

use std::collections::{BTreeMap, BTreeSet};

use fbc_graph::bundle_version;
use fbc_model::{Catalog, Channel};
use fbc_version::Release;

use crate::kind::TemplateKind;
use crate::semver::{ChannelKind, SemverTemplate};

/// Something in an expanded template that may surprise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Edges of a channel that OLM v0 does not follow, although opm takes them and OLM v1 follows them.
    DroppedEdges {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The edges, in the order of the channel.
        edges: Vec<DroppedEdge>,
    },
    /// The template prefers channels of major versions, but the default is one of a minor version.
    DefaultChannel {
        /// The package.
        package: String,
        /// The channel that became the default.
        chosen: String,
        /// The channel that the preference asks for.
        preferred: String,
    },
    /// Bundles of a package have the same version but for release or build metadata.
    SameVersion {
        /// The package.
        package: String,
        /// The version without build metadata.
        version: String,
        /// The bundles, in the order of the catalog.
        bundles: Vec<String>,
        /// Whether the releases of the bundles tell them apart.
        releases_differ: bool,
    },
}

/// A `replaces` edge that OLM v0 does not follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedEdge {
    /// The entry that replaces.
    pub entry: String,
    /// What it replaces.
    pub replaces: String,
    /// The one of the two that is skipped. A skipped target is left out of the chain; a skipped entry
    /// is never upgraded to.
    pub skipped: String,
    /// The entry that skips it: if possible one that is not skipped itself.
    pub skipped_by: String,
}

/// How many edges a message names.
const EDGES_NAMED: usize = 3;

impl Advice {
    /// The package that it is about.
    #[must_use]
    pub fn package(&self) -> &str {
        match self {
            Self::DroppedEdges { package, .. }
            | Self::DefaultChannel { package, .. }
            | Self::SameVersion { package, .. } => package,
        }
    }

    /// The advice in words.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::DroppedEdges { channel, edges, .. } => {
                let named: Vec<String> = edges.iter().take(EDGES_NAMED).map(DroppedEdge::describe).collect();
                let rest = match edges.len().saturating_sub(EDGES_NAMED) {
                    0 => String::new(),
                    more => format!("; and {more} more"),
                };
                format!(
                    "channel {channel}: OLM v0 does not follow every replaces edge: {}{rest}",
                    named.join("; ")
                )
            }
            Self::DefaultChannel { chosen, preferred, .. } => format!(
                "the default channel is {chosen}, although the template prefers major channels and generates \
                 {preferred}: channels compare by their lowest versions before the preference counts"
            ),
            Self::SameVersion { version, bundles, releases_differ: true, .. } => format!(
                "{} are all version {version} and differ by release only; semver templates and OLM v0 do not \
                 look at releases",
                bundles.join(", ")
            ),
            Self::SameVersion { version, bundles, .. } => format!(
                "{} are all version {version} without releases that would tell which is newer",
                bundles.join(", ")
            ),
        }
    }
}

impl DroppedEdge {
    fn describe(&self) -> String {
        let Self { entry, replaces, skipped, skipped_by } = self;
        format!("{entry} replaces {replaces}, but {skipped_by} skips {skipped}")
    }
}

/// Looks over the expansion of a template. The text of the template tells what its author asked for.
#[must_use]
pub fn lint_expansion(kind: TemplateKind, text: &[u8], catalog: &Catalog) -> Vec<Advice> {
    let mut advice = Vec::new();
    if kind == TemplateKind::Semver {
        advice.extend(default_channel(text, catalog));
    }
    advice.extend(catalog.channels.iter().filter_map(dropped_edges));
    same_versions(catalog, &mut advice);
    advice
}

fn default_channel(text: &[u8], catalog: &Catalog) -> Option<Advice> {
    let (template, _) = SemverTemplate::parse(text).ok()?;
    if !template.generate_minor || template.preference != ChannelKind::Major {
        return None;
    }
    let package = catalog.packages.first()?;
    // Names end in the version; only those of minor channels have a dot in it.
    let (archetype, version) = package.default_channel.rsplit_once("-v")?;
    let (major, _) = version.split_once('.')?;
    Some(Advice::DefaultChannel {
        package: package.name.clone(),
        chosen: package.default_channel.clone(),
        preferred: format!("{archetype}-v{major}"),
    })
}

fn dropped_edges(channel: &Channel) -> Option<Advice> {
    let entries = channel.entries();
    let skipped: BTreeSet<&str> = entries.iter().flat_map(|entry| &entry.skips).map(String::as_str).collect();
    let mut skipped_by: BTreeMap<&str, &str> = BTreeMap::new();
    // Later entries win; those that are not skipped come last of all.
    let (lasting, passing): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| !skipped.contains(entry.name.as_str()));
    for entry in passing.into_iter().chain(lasting) {
        for skip in &entry.skips {
            skipped_by.insert(skip, &entry.name);
        }
    }
    let edges: Vec<DroppedEdge> = entries
        .iter()
        .filter(|entry| !entry.replaces.is_empty())
        .filter_map(|entry| {
            let (skipped, by) = [entry.replaces.as_str(), entry.name.as_str()]
                .into_iter()
                .find_map(|name| Some((name, *skipped_by.get(name)?)))?;
            Some(DroppedEdge {
                entry: entry.name.clone(),
                replaces: entry.replaces.clone(),
                skipped: skipped.to_owned(),
                skipped_by: by.to_owned(),
            })
        })
        .collect();
    let (package, channel) = (channel.package.clone(), channel.name.clone());
    (!edges.is_empty()).then_some(Advice::DroppedEdges { package, channel, edges })
}

fn same_versions(catalog: &Catalog, advice: &mut Vec<Advice>) {
    let mut by_version: BTreeMap<(&str, String), Vec<(&str, Release)>> = BTreeMap::new();
    for bundle in &catalog.bundles {
        let Some(found) = bundle_version::find(bundle) else {
            continue;
        };
        let version = found.version.without_build().to_string();
        let bundles = by_version.entry((&bundle.package, version)).or_default();
        if bundles.iter().all(|(name, _)| *name != bundle.name) {
            bundles.push((&bundle.name, found.release));
        }
    }
    for ((package, version), bundles) in by_version {
        if bundles.len() < 2 {
            continue;
        }
        let is_repeated = |index: usize, release: &Release| {
            bundles.iter().take(index).any(|(_, earlier)| earlier == release)
        };
        let releases_differ =
            !bundles.iter().enumerate().any(|(index, (_, release))| is_repeated(index, release));
        advice.push(Advice::SameVersion {
            package: package.to_owned(),
            version,
            bundles: bundles.iter().map(|(name, _)| (*name).to_owned()).collect(),
            releases_differ,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Images, expand};

    #[test]
    fn surprises_of_a_semver_template() {
        let images = Images::from_rows(&[
            ("a", "testop", "1.0.0", ""),
            ("b", "testop", "1.1.0", ""),
            ("c", "testop", "1.1.1", ""),
            ("d", "testop", "1.2.0", ""),
        ]);
        let template = b"schema: olm.semver\ngenerateMajorChannels: true\ngenerateMinorChannels: true\n\
            defaultChannelTypePreference: major\ncandidate: {bundles: [{image: a}, {image: b}, {image: c}, {image: d}]}\n";
        let catalog = expand(TemplateKind::Semver, template, &images).unwrap();
        let advice = lint_expansion(TemplateKind::Semver, template, &catalog);
        let messages: Vec<String> = advice.iter().map(Advice::message).collect();
        assert_eq!(
            messages,
            [
                "the default channel is candidate-v1.2, although the template prefers major channels and \
                 generates candidate-v1: channels compare by their lowest versions before the preference counts",
                "channel candidate-v1: OLM v0 does not follow every replaces edge: testop.v1.1.1 replaces \
                 testop.v1.0.0, but testop.v1.2.0 skips testop.v1.0.0",
            ]
        );
        assert_eq!(advice.first().map(Advice::package), Some("testop"));
        let pointers: Vec<Option<String>> = advice
            .iter()
            .map(|advice| {
                advice.place(TemplateKind::Semver, template, &catalog).and_then(|place| place.pointer)
            })
            .collect();
        let pointer = |text: &str| Some(text.to_owned());
        assert_eq!(pointers, [pointer("/defaultChannelTypePreference"), pointer("/candidate")]);
        let minor = b"schema: olm.semver\nstable: {bundles: [{image: a}, {image: b}, {image: c}]}\n";
        let catalog = expand(TemplateKind::Semver, minor, &images).unwrap();
        assert_eq!(lint_expansion(TemplateKind::Semver, minor, &catalog), []);
    }

    #[test]
    fn equal_versions() {
        let images = Images::from_rows(&[
            ("a", "testop", "1.1.0", ""),
            ("b", "testop", "1.1.0", "1"),
            ("c", "testop", "1.2.0+1", ""),
            ("d", "testop", "1.2.0+2", ""),
        ]);
        let template = b"schema: olm.template.basic\nentries:\n- {schema: olm.bundle, image: a}\n\
            - {schema: olm.bundle, image: b}\n- {schema: olm.bundle, image: c}\n- {schema: olm.bundle, image: d}\n";
        let catalog = expand(TemplateKind::Basic, template, &images).unwrap();
        let advice = lint_expansion(TemplateKind::Basic, template, &catalog);
        let messages: Vec<String> = advice.iter().map(Advice::message).collect();
        assert_eq!(
            messages,
            [
                "testop.v1.1.0, testop-v1.1.0-1 are all version 1.1.0 and differ by release only; semver \
                 templates and OLM v0 do not look at releases",
                "testop.v1.2.0+1, testop.v1.2.0+2 are all version 1.2.0 without releases that would tell \
                 which is newer",
            ]
        );
        let pointers: Vec<Option<String>> = advice
            .iter()
            .map(|advice| {
                advice.place(TemplateKind::Basic, template, &catalog).and_then(|place| place.pointer)
            })
            .collect();
        assert_eq!(pointers, [Some("/entries/1/image".to_owned()), Some("/entries/3/image".to_owned())]);
    }
}
