//! Building the graph of a package from the blobs of a catalog.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use fbc_model::blob::schema;
use fbc_model::{Bundle, Catalog, Channel, ChannelEntry, Deprecation, PackageBlobs};
use fbc_version::blang::RangeError;
use fbc_version::{Version, VersionRelease};

use super::{ChannelGraph, EntryEdges, Node, NodeIndex, NodeKind, PackageGraph, range};
use crate::bundle_version;
use crate::channel::ChannelAnalysis;

impl<'c> PackageGraph<'c> {
    /// The graph of a package of a catalog; empty where the catalog has nothing of it. Takes `n log n` time
    /// in the number of entries, and memory linear in the lists as they are written.
    ///
    /// The catalog need not be valid: of bundles of one name the first counts, and names without a bundle are
    /// nodes that nothing moves to.
    #[must_use]
    pub fn from_catalog(catalog: &'c Catalog, package: &str) -> Self {
        Self::with_supposed(catalog, package, &[])
    }

    /// As [`PackageGraph::from_catalog`], with further nodes for what somebody may have installed although the catalog does
    /// not know it: names with versions. A name that the catalog knows is ignored.
    #[must_use]
    pub fn with_supposed(catalog: &'c Catalog, package: &str, supposed: &[(String, Version)]) -> Self {
        let blobs =
            PackageBlobs::by_package(catalog, |name| name == package).remove(package).unwrap_or_default();
        Self::from_blobs(package, blobs, supposed)
    }

    /// The graphs of all packages that a caller wants, sorted by name. Each blob is looked at once.
    #[must_use]
    pub fn all(catalog: &'c Catalog, is_wanted: impl Fn(&str) -> bool) -> Vec<Self> {
        let is_wanted = |name: &str| !name.is_empty() && is_wanted(name);
        let packages = PackageBlobs::by_package(catalog, is_wanted).into_iter();
        packages.map(|(package, blobs)| Self::from_blobs(package, blobs, &[])).collect()
    }

    fn from_blobs(package: &str, blobs: PackageBlobs<'c>, supposed: &[(String, Version)]) -> Self {
        // Of several blobs of a package the first counts.
        let messages = Messages::from_blob(blobs.deprecations.first().copied());
        let PackageBlobs { packages, mut channels, bundles, .. } = blobs;
        let blob = packages.first();
        channels.sort_by(|a, b| a.name.cmp(&b.name));
        let (nodes, by_name) = nodes(&bundles, &channels, &messages, supposed);
        let channels = channels.iter().map(|channel| {
            let deprecation = messages.channels.get(channel.name.as_str()).map(|&message| message.to_owned());
            let entries = Cow::Borrowed(channel.entries());
            ChannelGraph::new(channel.name.clone(), deprecation, entries, &nodes, &by_name, HashMap::new())
        });
        Self {
            name: package.to_owned(),
            default_channel: blob.map(|blob| blob.default_channel.clone()).unwrap_or_default(),
            deprecation: messages.package.map(str::to_owned),
            channels: channels.collect(),
            nodes,
            by_name,
        }
    }

    /// A channel as it would be with other entries. Names that are not nodes are left out.
    #[must_use]
    pub fn channel_with<'e>(&self, channel: usize, entries: Vec<ChannelEntry>) -> Option<ChannelGraph<'e>> {
        let old = self.channels.get(channel)?;
        let (name, deprecation) = (old.name.clone(), old.deprecation.clone());
        let known = old.covered_by_text();
        Some(ChannelGraph::new(name, deprecation, Cow::Owned(entries), &self.nodes, &self.by_name, known))
    }
}

impl<'c> ChannelGraph<'c> {
    fn new(
        name: String,
        deprecation: Option<String>,
        entries: Cow<'c, [ChannelEntry]>,
        nodes: &[Node],
        by_name: &HashMap<String, NodeIndex>,
        known: CoveredByText<'_>,
    ) -> Self {
        let mut seen = HashSet::with_capacity(entries.len());
        let mut ranges = CoveredByText::new();
        let find = |name: &str| by_name.get(name).copied();
        let edges = entries.iter().map(|entry| {
            let text = entry.skip_range.as_str();
            let covered = match text {
                "" => Ok(Vec::new()),
                _ => match known.get(text) {
                    Some(covered) => covered.clone(),
                    None => ranges.entry(text).or_insert_with(|| range::covered(nodes, text)).clone(),
                },
            };
            let (covered, range_error) = match covered {
                Ok(covered) => (covered, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            EntryEdges {
                node: find(&entry.name).unwrap_or(usize::MAX),
                is_repeated: !seen.insert(entry.name.as_str()),
                replaces: find(&entry.replaces).filter(|_| !entry.replaces.is_empty()),
                skips: entry.skips.iter().filter_map(|skip| find(skip)).collect(),
                covered,
                range_error,
            }
        });
        let edges = edges.collect();
        let analysis = ChannelAnalysis::from_entries(&entries);
        Self { name, deprecation, edges, analysis, entries }
    }
}

/// What ranges cover, by their text.
type CoveredByText<'t> = HashMap<&'t str, Result<Vec<Range<NodeIndex>>, RangeError>>;

impl ChannelGraph<'_> {
    /// What the ranges of the channel cover, so that nobody has to read them again.
    fn covered_by_text(&self) -> CoveredByText<'_> {
        let edges = self.entries.iter().zip(&self.edges);
        let ranges = edges.filter(|(entry, _)| !entry.skip_range.is_empty());
        let known = ranges.map(|(entry, edges)| {
            let covered = match &edges.range_error {
                Some(error) => Err(error.clone()),
                None => Ok(edges.covered.clone()),
            };
            (entry.skip_range.as_str(), covered)
        });
        known.collect()
    }
}

/// What users are told, by what is deprecated. Only the first `olm.deprecations` of a package counts, as in
/// OLM (`operator-framework/operator-controller:internal/operator-controller/resolve/catalog.go`).
#[derive(Default)]
struct Messages<'c> {
    package: Option<&'c str>,
    channels: HashMap<&'c str, &'c str>,
    bundles: HashMap<&'c str, &'c str>,
}

impl<'c> Messages<'c> {
    fn from_blob(blob: Option<&'c Deprecation>) -> Self {
        let mut messages = Self::default();
        for entry in blob.map(|blob| blob.entries()).unwrap_or_default() {
            let (name, message) = (entry.name.as_str(), entry.message.as_str());
            match entry.schema.as_str() {
                schema::PACKAGE => _ = messages.package.get_or_insert(message),
                schema::CHANNEL => _ = messages.channels.entry(name).or_insert(message),
                schema::BUNDLE => _ = messages.bundles.entry(name).or_insert(message),
                _ => {}
            }
        }
        messages
    }
}

fn nodes(
    bundles: &[&Bundle],
    channels: &[&Channel],
    messages: &Messages<'_>,
    supposed: &[(String, Version)],
) -> (Vec<Node>, HashMap<String, NodeIndex>) {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut add = |name, version: &dyn Fn() -> Option<VersionRelease>, kind| {
        if seen.insert(name) {
            let deprecation = messages.bundles.get(name).map(|&message| message.to_owned());
            nodes.push(Node {
                name: name.to_owned(),
                version: version(),
                kind,
                deprecation,
                position: nodes.len(),
            });
        }
    };
    for bundle in bundles {
        add(&bundle.name, &|| bundle_version::find(bundle).map(with_release), NodeKind::Bundle);
    }
    for entry in channels.iter().flat_map(|channel| channel.entries()) {
        let referred = [&entry.replaces].into_iter().chain(&entry.skips).filter(|name| !name.is_empty());
        for name in referred.chain([&entry.name]) {
            add(name, &|| version_in_name(name), NodeKind::Outside);
        }
    }
    for (name, version) in supposed {
        add(
            name,
            &|| Some(with_release(VersionRelease::new(version.clone(), Default::default()))),
            NodeKind::Supposed,
        );
    }
    nodes.sort_by(|a, b| {
        let by_version = match (&a.version, &b.version) {
            (Some(a), Some(b)) => a.compare_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        by_version.then_with(|| a.name.cmp(&b.name))
    });
    let by_name = nodes.iter().enumerate().map(|(index, node)| (node.name.clone(), index)).collect();
    (nodes, by_name)
}

/// Version and release as OLM v1 compares them: build metadata that forms a release is one.
fn with_release(found: VersionRelease) -> VersionRelease {
    if found.release.is_empty() { VersionRelease::from_build_metadata(found.version) } else { found }
}

/// The version that a name such as `etcdoperator.v0.9.4` ends with.
fn version_in_name(name: &str) -> Option<VersionRelease> {
    let starts = name.char_indices().filter(|(_, c)| matches!(c, '.' | '-')).map(|(at, _)| at + 1);
    starts
        .filter_map(|start| name.get(start..))
        .map(|rest| rest.strip_prefix('v').unwrap_or(rest))
        .find_map(|rest| Version::parse(rest).ok())
        .map(VersionRelease::from_build_metadata)
}
