//! The upgrade graph of one package: its versions as nodes, its channels with their edges.
//!
//! Nodes are sorted by version, so that what a `skipRange` covers is a few runs of neighbours: no edge of a
//! range is ever stored by itself. How a cluster moves along the edges is not said here but in
//! [`crate::moves`].

mod build;
mod range;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use fbc_model::ChannelEntry;
use fbc_version::VersionRelease;
use fbc_version::blang::RangeError;

use crate::channel::ChannelAnalysis;

pub use range::widened;

/// A place in [`PackageGraph::nodes`].
pub type NodeIndex = usize;

/// The upgrade graph of a package.
#[derive(Clone, Debug)]
pub struct PackageGraph<'c> {
    /// The name of the package.
    pub name: String,
    /// The channel that is followed when none is asked for; empty where the package names none.
    pub default_channel: String,
    /// What users of the package are told when it is deprecated.
    pub deprecation: Option<String>,
    /// All that can be installed: by version and release, equal ones by name, those without version first.
    pub nodes: Vec<Node>,
    /// The channels by name; of equal names all, in load order.
    pub channels: Vec<ChannelGraph<'c>>,
    by_name: HashMap<String, NodeIndex>,
}

/// Something that may be installed on a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The name of the bundle.
    pub name: String,
    /// Version and release; nothing where there is none that can be read.
    pub version: Option<VersionRelease>,
    /// How much the catalog knows of it.
    pub kind: NodeKind,
    /// What its users are told when it is deprecated.
    pub deprecation: Option<String>,
    /// The place of the bundle among the bundles of the package; after all of them where there is none.
    pub position: usize,
}

/// How much a catalog knows of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The catalog has the bundle.
    Bundle,
    /// Entries of channels name it, but there is no bundle: it cannot be installed any more, though it may
    /// have been. Its version is read from its name.
    Outside,
    /// Somebody asked for it; the catalog does not know it at all.
    Supposed,
}

/// A channel with its edges as places of nodes.
#[derive(Clone, Debug)]
pub struct ChannelGraph<'c> {
    /// The name.
    pub name: String,
    /// What its followers are told when it is deprecated.
    pub deprecation: Option<String>,
    /// The entries as they are written.
    pub entries: Cow<'c, [ChannelEntry]>,
    /// The edges that lead to each entry.
    pub edges: Vec<EntryEdges>,
    /// What opm makes of it.
    pub analysis: ChannelAnalysis,
}

/// The edges that lead to an entry.
#[derive(Clone, Debug, Default)]
pub struct EntryEdges {
    /// The entry itself.
    pub node: NodeIndex,
    /// Whether an earlier entry of the channel has the same name: opm refuses that, and this one does not count.
    pub is_repeated: bool,
    /// What it replaces.
    pub replaces: Option<NodeIndex>,
    /// What it skips, in the order of the list.
    pub skips: Vec<NodeIndex>,
    /// What its `skipRange` covers, as ascending runs of nodes.
    pub covered: Vec<Range<NodeIndex>>,
    /// Why its `skipRange` is not a range; clusters ignore it then.
    pub range_error: Option<RangeError>,
}

impl PackageGraph<'_> {
    /// The node of a name.
    #[must_use]
    pub fn node_by_name(&self, name: &str) -> Option<NodeIndex> {
        self.by_name.get(name).copied()
    }

    /// The channel of a name, the first of several.
    #[must_use]
    pub fn channel_by_name(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|channel| channel.name == name)
    }

    /// The name of a node; empty where there is no such node.
    #[must_use]
    pub fn node_name(&self, node: NodeIndex) -> &str {
        self.nodes.get(node).map(|node| node.name.as_str()).unwrap_or_default()
    }

    /// Whether a node is newer than another; false where a version is unknown.
    #[must_use]
    pub fn is_newer(&self, node: NodeIndex, than: NodeIndex) -> bool {
        let version = |node: NodeIndex| self.nodes.get(node).and_then(|node| node.version.as_ref());
        matches!((version(node), version(than)), (Some(node), Some(than)) if node.compare_precedence(than).is_gt())
    }

    /// The nodes of equal version and release, as a run of neighbours; the node alone where it has no version.
    #[must_use]
    pub fn equal_versions(&self, node: NodeIndex) -> Range<NodeIndex> {
        let Some(version) = self.nodes.get(node).and_then(|node| node.version.as_ref()) else {
            return node..node.saturating_add(1);
        };
        let compare = |other: &Node| other.version.as_ref().map(|other| other.compare_precedence(version));
        let start = self.nodes.partition_point(|other| compare(other).is_none_or(|order| order.is_lt()));
        let end = self.nodes.partition_point(|other| compare(other).is_none_or(|order| order.is_le()));
        start..end
    }
}

impl Node {
    /// The version as text, or the name where there is none.
    #[must_use]
    pub fn label(&self) -> String {
        self.version.as_ref().map_or_else(|| self.name.clone(), ToString::to_string)
    }

    /// Whether clusters can install it.
    #[must_use]
    pub fn is_installable(&self) -> bool {
        self.kind == NodeKind::Bundle
    }
}

impl ChannelGraph<'_> {
    /// Whether opm accepts the edges of the channel.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.problems() == 0
    }

    /// How much opm objects to, as a number that fixing lowers: heads beyond one, a cycle, stranded entries.
    #[must_use]
    pub fn problems(&self) -> usize {
        let analysis = &self.analysis;
        analysis.heads.len().abs_diff(1) + usize::from(!analysis.cycle().is_empty()) + analysis.stranded.len()
    }

    /// The nodes of the channel: its entries, and what their `replaces` and `skips` name; ascending.
    #[must_use]
    pub fn members(&self) -> Vec<NodeIndex> {
        let mut members: Vec<NodeIndex> = self
            .edges
            .iter()
            .flat_map(|edges| {
                edges.replaces.into_iter().chain(edges.skips.iter().copied()).chain([edges.node])
            })
            .collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// For each of so many nodes its entry, the first of several.
    #[must_use]
    pub fn entry_of_nodes(&self, count: usize) -> Vec<Option<usize>> {
        let mut entry_of = vec![None; count];
        for (entry, edges) in self.edges.iter().enumerate().rev() {
            if let Some(place) = entry_of.get_mut(edges.node) {
                *place = Some(entry);
            }
        }
        entry_of
    }

    /// How much there is to walk over: entries, names that they skip, and runs that their ranges cover.
    #[must_use]
    pub fn size(&self) -> usize {
        self.edges.iter().map(|edges| 1 + edges.skips.len() + edges.covered.len()).sum()
    }

    /// Whether an entry is skipped by another.
    #[must_use]
    pub fn is_skipped(&self, entry: usize) -> bool {
        self.analysis.skipped_by.get(entry).copied().flatten().is_some()
    }
}

#[cfg(test)]
mod tests;
