//! The graph of a package as a document for other tools, and for the page that [`crate::page`] makes.
//!
//! Nodes and entries are named by their places in the lists. Since nodes are sorted by version, what a range covers
//! is given as runs of nodes, first and last. The shape is described by `schemas/output/graph.json`.

use serde::Serialize;

use crate::missing_edge::{Standing, standing};
use crate::moves::{EdgeKind, Moves, Refusal, Semantics};
use crate::package::{ChannelGraph, Node, NodeIndex, NodeKind, PackageGraph};

/// The graph of a package.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageDocument {
    /// The name of the package.
    pub package: String,
    /// The channel that is followed when none is asked for.
    pub default_channel: String,
    /// What users are told when the package is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<String>,
    /// What can be installed, by version.
    pub nodes: Vec<NodeDocument>,
    /// The channels, by name.
    pub channels: Vec<ChannelDocument>,
    /// How clusters move that follow channels: each channel alone, and for OLM v1 all together first.
    pub updates: Vec<UpdatesDocument>,
}

/// A node.
#[derive(Debug, Serialize)]
pub struct NodeDocument {
    /// The name of the bundle.
    pub name: String,
    /// The version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// `bundle`, or `outside` where the catalog only names it.
    pub kind: &'static str,
    /// What users are told when it is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<String>,
}

/// A channel.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelDocument {
    /// The name.
    pub name: String,
    /// What followers are told when it is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<String>,
    /// Whether opm accepts its edges.
    pub is_sound: bool,
    /// The nodes that nothing replaces or skips.
    pub heads: Vec<NodeIndex>,
    /// The nodes that opm calls stranded.
    pub stranded: Vec<NodeIndex>,
    /// The nodes of a cycle in the replaces chain.
    pub cycle: Vec<NodeIndex>,
    /// The entries in the order of the channel.
    pub entries: Vec<EntryDocument>,
}

/// An entry of a channel.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryDocument {
    /// Its node.
    pub node: NodeIndex,
    /// The node that it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<NodeIndex>,
    /// The nodes that it skips.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<NodeIndex>,
    /// Its `skipRange` as written.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub skip_range: String,
    /// The runs of nodes that the range covers, first and last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<[NodeIndex; 2]>,
    /// Why the range is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_error: Option<String>,
    /// Whether another entry of the channel skips it.
    pub is_skipped: bool,
}

/// How clusters move that follow some channels.
#[derive(Debug, Serialize)]
pub struct UpdatesDocument {
    /// `v0` or `v1`.
    pub semantics: &'static str,
    /// The names of the channels.
    pub channels: Vec<String>,
    /// The node that a fresh installation gets.
    pub head: Option<NodeIndex>,
    /// Why OLM v0 refuses the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<&'static str>,
    /// For each node its next update.
    pub next: Vec<Option<MoveDocument>>,
    /// For each node how it stands.
    pub standing: Vec<&'static str>,
}

/// One update.
#[derive(Debug, Serialize)]
pub struct MoveDocument {
    /// The node that is installed then.
    pub to: NodeIndex,
    /// The channel whose entry allows it.
    pub channel: String,
    /// The kind of the edge.
    pub edge: &'static str,
}

/// The document of a package, with the updates of these generations of OLM.
#[must_use]
pub fn describe(graph: &PackageGraph<'_>, semantics: &[Semantics]) -> PackageDocument {
    let mut updates = Vec::new();
    for &semantics in semantics {
        let all: Vec<&ChannelGraph<'_>> = graph.channels.iter().collect();
        if semantics == Semantics::V1 && all.len() > 1 {
            updates.push(updates_of(graph, &all, semantics));
        }
        updates.extend(all.iter().map(|channel| updates_of(graph, &[channel], semantics)));
    }
    PackageDocument {
        package: graph.name.clone(),
        default_channel: graph.default_channel.clone(),
        deprecation: graph.deprecation.clone(),
        nodes: graph.nodes.iter().map(node).collect(),
        channels: graph.channels.iter().map(channel).collect(),
        updates,
    }
}

fn node(node: &Node) -> NodeDocument {
    let release = node.version.as_ref().map(|version| version.release.to_string());
    NodeDocument {
        name: node.name.clone(),
        version: node.version.as_ref().map(|version| version.version.to_string()),
        release: release.filter(|release| !release.is_empty()),
        kind: match node.kind {
            NodeKind::Bundle => "bundle",
            NodeKind::Outside => "outside",
            NodeKind::Supposed => "supposed",
        },
        deprecation: node.deprecation.clone(),
    }
}

fn channel(channel: &ChannelGraph<'_>) -> ChannelDocument {
    let nodes = |entries: &[usize]| -> Vec<NodeIndex> {
        entries.iter().filter_map(|&entry| Some(channel.edges.get(entry)?.node)).collect()
    };
    let entries =
        channel.entries.iter().zip(&channel.edges).enumerate().map(|(place, (entry, edges))| EntryDocument {
            node: edges.node,
            replaces: edges.replaces,
            skips: edges.skips.clone(),
            skip_range: entry.skip_range.clone(),
            covered: edges.covered.iter().map(|run| [run.start, run.end.saturating_sub(1)]).collect(),
            range_error: edges.range_error.as_ref().map(ToString::to_string),
            is_skipped: channel.is_skipped(place),
        });
    ChannelDocument {
        name: channel.name.clone(),
        deprecation: channel.deprecation.clone(),
        is_sound: channel.is_sound(),
        heads: nodes(&channel.analysis.heads),
        stranded: nodes(&channel.analysis.stranded),
        cycle: nodes(channel.analysis.cycle()),
        entries: entries.collect(),
    }
}

fn updates_of(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    semantics: Semantics,
) -> UpdatesDocument {
    let moves = Moves::new(graph, channels, semantics);
    let next = moves.next.iter().map(|next| {
        next.map(|found| MoveDocument {
            to: found.to,
            channel: channels
                .get(found.entry.channel)
                .map(|channel| channel.name.clone())
                .unwrap_or_default(),
            edge: found.edge.name(),
        })
    });
    UpdatesDocument {
        semantics: semantics.name(),
        channels: channels.iter().map(|channel| channel.name.clone()).collect(),
        head: moves.head,
        refusal: moves.refusal.as_ref().map(Refusal::name),
        next: next.collect(),
        standing: (0..graph.nodes.len()).map(|node| standing(graph, &moves, node).name()).collect(),
    }
}

impl Semantics {
    /// The name in documents and on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
        }
    }
}

impl EdgeKind {
    /// The name of the field that makes the edge.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Replaces => "replaces",
            Self::Skips => "skips",
            Self::SkipRange => "skipRange",
        }
    }
}

impl Refusal {
    /// The name in documents.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoHead => "noHead",
            Self::SeveralHeads(_) => "severalHeads",
            Self::Cycle(_) => "cycle",
        }
    }
}

impl Standing {
    /// The name in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AtHead => "atHead",
            Self::ReachesHead => "reachesHead",
            Self::StopsShort => "stopsShort",
            Self::Stuck => "stuck",
            Self::NothingNewer => "nothingNewer",
            Self::Circle => "circle",
        }
    }
}
