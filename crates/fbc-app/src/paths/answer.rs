//! The answer as data: for each way to follow channels, how every version stands.

use std::collections::HashMap;

use fbc_graph::missing_edge::{self, Change, Edit, Standing, standing};
use fbc_graph::moves::{Move, ShortestWay};
use fbc_graph::package::{ChannelGraph, NodeKind};
use fbc_graph::{Moves, NodeIndex, PackageGraph, Semantics};
use serde::Serialize;

use super::MOST_EDGES_SEARCHED;
use super::label;
use crate::upgrade_graph::objection;

/// The whole answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The package.
    pub package: String,
    /// Whose understanding of the edges counts.
    pub semantics: &'static str,
    /// The version that is asked for, by `--from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The goal that is asked for, by `--to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Whether the goal of every version shown is the one that is asked for.
    #[serde(skip)]
    pub is_supposed: Option<String>,
    /// The answers, channel by channel or together.
    pub scopes: Vec<Scope>,
}

/// How versions stand for who follows some channels.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// The channels that are followed.
    pub channels: Vec<String>,
    /// Whether these are all channels of several.
    pub is_any_channel: bool,
    /// The name of what a new installation gets.
    pub head: Option<String>,
    /// How the head is called.
    #[serde(skip)]
    pub head_label: Option<String>,
    /// What opm refuses the channels for.
    pub objections: Vec<String>,
    /// Whether clusters refuse to update at all.
    pub is_refused: bool,
    /// Every version.
    pub versions: Vec<VersionRow>,
    /// How many stuck versions were not checked for want of time.
    pub not_searched: usize,
}

/// How a version stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionRow {
    /// The name of the bundle.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// How it is called.
    #[serde(skip)]
    pub label: String,
    /// Whether the catalog has the bundle.
    pub is_in_catalog: bool,
    /// Whether the version belongs to the channels that are followed.
    pub is_member: bool,
    /// Whether it is deprecated.
    pub is_deprecated: bool,
    /// Where it stands.
    pub standing: &'static str,
    /// The next update.
    pub next: Option<Step>,
    /// Where updates end.
    pub end: String,
    /// How the end is called.
    #[serde(skip)]
    pub end_label: String,
    /// How many updates lead to the goal.
    pub hops: Option<usize>,
    /// How few updates could lead to the goal.
    pub shortest: Option<usize>,
    /// The updates one after another; only where one version is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<Vec<Step>>,
    /// The fewest updates to the goal; only where one version is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest_route: Option<Vec<Step>>,
    /// The edit that would help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_edge: Option<MissingEdge>,
    /// Whether an edit could help: updates do not lead to the goal.
    #[serde(skip)]
    pub needs_help: bool,
    /// Whether something is wrong with it.
    #[serde(skip)]
    pub is_unhappy: bool,
}

/// One update.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The bundle.
    pub to: String,
    /// How it is called.
    #[serde(skip)]
    pub label: String,
    /// The channel.
    pub channel: String,
    /// Which kind of edge it is.
    pub edge: &'static str,
}

/// An edit that would help.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingEdge {
    /// The channel.
    pub channel: String,
    /// The entry.
    pub entry: String,
    /// The field that is to change.
    pub field: &'static str,
    /// What the field is to be; of `skips`, what is to be added; empty where it is to go.
    pub value: String,
    /// What the field was, where it changes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub old: String,
}

impl Answer {
    /// Answers for a package.
    pub fn new(
        graph: &PackageGraph<'_>,
        wanted: &[String],
        semantics: Semantics,
        from: Option<NodeIndex>,
        to: Option<NodeIndex>,
    ) -> Self {
        let is_wanted = |channel: &&ChannelGraph<'_>| wanted.is_empty() || wanted.contains(&channel.name);
        let channels: Vec<&ChannelGraph<'_>> = graph.channels.iter().filter(is_wanted).collect();
        let followed: Vec<Vec<&ChannelGraph<'_>>> = match semantics {
            Semantics::V0 => channels.into_iter().map(|channel| vec![channel]).collect(),
            Semantics::V1 => vec![channels],
        };
        let name = |node: Option<NodeIndex>| node.map(|node| graph.node_name(node).to_owned());
        let supposed =
            from.filter(|&node| graph.nodes.get(node).is_some_and(|node| node.kind == NodeKind::Supposed));
        Self {
            package: graph.name.clone(),
            semantics: semantics.name(),
            from: name(from),
            to: name(to),
            is_supposed: name(supposed),
            scopes: followed.iter().map(|channels| scope(graph, channels, semantics, from, to)).collect(),
        }
    }

    /// Whether every version of the catalog reaches its goal. One that is asked for needs only one way to follow
    /// channels that leads there, unless it is newer than everything.
    pub fn is_clean(&self) -> bool {
        let mut rows = self.scopes.iter().flat_map(|scope| &scope.versions);
        if self.from.is_none() {
            return !rows.any(|row| row.is_unhappy);
        }
        let is_beyond = self.to.is_none() && rows.clone().all(|row| row.standing == "nothingNewer");
        is_beyond || rows.any(|row| row.hops.is_some())
    }
}

fn scope(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    semantics: Semantics,
    from: Option<NodeIndex>,
    to: Option<NodeIndex>,
) -> Scope {
    let moves = Moves::new(graph, channels, semantics);
    let mut is_member = vec![false; graph.nodes.len()];
    for node in channels.iter().flat_map(|channel| channel.members()) {
        if let Some(flag) = is_member.get_mut(node) {
            *flag = true;
        }
    }
    let goal = to.or(moves.head);
    let hops = goal.map(|goal| moves.updates_until(goal)).unwrap_or_default();
    let ways = goal.map(|goal| moves.shortest_ways(channels, goal)).unwrap_or_default();
    let size: usize = channels.iter().map(|channel| channel.size()).sum();
    let mut searches = (MOST_EDGES_SEARCHED / size.max(1)).max(1);
    let mut not_searched = 0;
    let mut edits: HashMap<NodeIndex, Option<Edit>> = HashMap::new();
    // Who follows a channel may have come from another one; such versions are of interest where updates take them in.
    let is_shown = |node: NodeIndex| match from {
        Some(from) => node == from,
        None => is_member.get(node) == Some(&true) || moves.next.get(node).copied().flatten().is_some(),
    };
    let mut versions = Vec::new();
    for node in (0..graph.nodes.len()).rev().filter(|&node| is_shown(node)) {
        let Some(found) = graph.nodes.get(node) else { continue };
        let standing = standing(graph, &moves, node);
        let is_lost = matches!(standing, Standing::Stuck | Standing::StopsShort | Standing::Circle);
        let hops = hops.get(node).copied().flatten();
        let needs_help = match to {
            Some(to) => hops.is_none() && graph.is_newer(to, node),
            None => is_lost,
        };
        // An older goal than what is installed is nothing to be unhappy about without being asked for it.
        let misses_goal = needs_help || from.is_some() && to.is_some() && hops.is_none();
        let mut missing = None;
        let end = moves.routes.get(node).map_or(node, |route| route.end);
        if needs_help {
            // Whoever stops short is helped where updates end, unless they have passed the goal there.
            let passes_goal = to.is_some_and(|to| !graph.is_newer(to, end));
            let subject = if passes_goal { node } else { end };
            match edits.get(&subject) {
                Some(known) => missing.clone_from(known),
                None if searches == 0 => not_searched += 1,
                None => {
                    searches -= 1;
                    missing = missing_edge::find(graph, channels, &moves, subject, to);
                    edits.insert(subject, missing.clone());
                }
            }
        }
        let is_single = from.is_some();
        versions.push(VersionRow {
            name: found.name.clone(),
            version: found.version.as_ref().map(|version| version.to_version().to_string()),
            label: label(graph, node),
            is_in_catalog: found.is_installable(),
            is_member: is_member.get(node) == Some(&true),
            is_deprecated: found.deprecation.is_some(),
            standing: standing.name(),
            next: moves.next.get(node).copied().flatten().map(|next| step(graph, channels, next)),
            end: graph.node_name(end).to_owned(),
            end_label: label(graph, end),
            hops,
            shortest: ways.get(node).copied().flatten().map(|(hops, _)| hops),
            route: is_single
                .then(|| moves.route(node).into_iter().map(|m| step(graph, channels, m)).collect()),
            shortest_route: is_single.then(|| shortest_route(graph, channels, &ways, node)).flatten(),
            missing_edge: missing.map(|edit| missing_edge(channels, edit)),
            needs_help,
            is_unhappy: misses_goal && (found.is_installable() || is_single),
        });
    }
    let is_any_channel = channels.len() > 1 && channels.len() == graph.channels.len();
    let objection = |channel: &&ChannelGraph<'_>| {
        let objection = objection(graph, channel)?;
        Some(if channels.len() > 1 { format!("{}: {objection}", channel.name) } else { objection })
    };
    Scope {
        channels: channels.iter().map(|channel| channel.name.clone()).collect(),
        is_any_channel,
        head: moves.head.map(|head| graph.node_name(head).to_owned()),
        head_label: moves.head.map(|head| label(graph, head)),
        objections: channels.iter().filter_map(objection).collect(),
        is_refused: moves.refusal.is_some(),
        versions,
        not_searched,
    }
}

fn step(graph: &PackageGraph<'_>, channels: &[&ChannelGraph<'_>], found: Move) -> Step {
    Step {
        to: graph.node_name(found.to).to_owned(),
        label: label(graph, found.to),
        channel: channels.get(found.entry.channel).map(|channel| channel.name.clone()).unwrap_or_default(),
        edge: found.edge.name(),
    }
}

fn shortest_route(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    ways: &[Option<ShortestWay>],
    node: NodeIndex,
) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let (mut left, mut next) = ways.get(node).copied().flatten()?;
    while let Some(found) = next.filter(|_| left > 0) {
        steps.push(step(graph, channels, found));
        (left, next) = ways.get(found.to).copied().flatten()?;
    }
    Some(steps)
}

fn missing_edge(channels: &[&ChannelGraph<'_>], edit: Edit) -> MissingEdge {
    let channel = channels.get(edit.channel).map(|channel| channel.name.clone()).unwrap_or_default();
    let (field, value, old) = match edit.change {
        Change::SetReplaces(name) => ("replaces", name, String::new()),
        Change::ClearReplaces(name) => ("replaces", String::new(), name),
        Change::AddSkip(name) => ("skips", name, String::new()),
        Change::SetSkipRange { old, new } => ("skipRange", new, old),
    };
    MissingEdge { channel, entry: edit.entry, field, value, old }
}
