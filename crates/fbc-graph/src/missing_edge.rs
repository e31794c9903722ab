//! The smallest edit of a channel that lets a stuck version move again.
//!
//! Every edit that is proposed has been made in memory: after it, updates of the version lead to the head, and
//! opm objects to the channel no more than before. A proposal is about one field of one entry.

use fbc_model::ChannelEntry;

use crate::moves::{EntryPlace, Moves, Refusal};
use crate::package::{ChannelGraph, NodeIndex, NodeKind, PackageGraph, widened};

/// How a version stands that is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is the head.
    AtHead,
    /// Updates lead to the head.
    ReachesHead,
    /// Updates end before the head.
    StopsShort,
    /// There is something newer, and no update.
    Stuck,
    /// There is no update, and nothing newer than it.
    NothingNewer,
    /// Updates run in circles.
    Circle,
}

/// A change of one field of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The channel, among those that are followed.
    pub channel: usize,
    /// The name of the entry.
    pub entry: String,
    /// The change.
    pub change: Change,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// `replaces` becomes this name, where there was none.
    SetReplaces(String),
    /// `replaces` goes away.
    ClearReplaces(String),
    /// `skips` gets this name too.
    AddSkip(String),
    /// `skipRange` becomes this; the old one is empty where there was none.
    SetSkipRange {
        /// As it was.
        old: String,
        /// As it is to be.
        new: String,
    },
}

/// No channel is searched for more entries to edit than this: an edit of one of the nearest helps or none does.
const MOST_ENTRIES_TRIED: usize = 3;

/// How a node stands.
#[must_use]
pub fn standing(graph: &PackageGraph<'_>, moves: &Moves, node: NodeIndex) -> Standing {
    let Some(route) = moves.routes.get(node) else { return Standing::NothingNewer };
    // Without an order there is no head, yet something may be newer.
    let has_newer = match moves.head {
        Some(head) => !graph.is_newer(node, head) && !graph.equal_versions(head).contains(&node),
        None => moves.refusal.is_some(),
    };
    match (route.is_circle, moves.head == Some(node), moves.reaches_head(node), route.hops) {
        (true, ..) => Standing::Circle,
        (_, true, ..) => Standing::AtHead,
        (_, _, true, _) => Standing::ReachesHead,
        (_, _, _, 0) if has_newer => Standing::Stuck,
        (_, _, _, 0) => Standing::NothingNewer,
        _ => Standing::StopsShort,
    }
}

/// The smallest edit after which updates of a node lead to the goal, which is the head unless another node is named;
/// nothing where no edit of one field does that. The updates may be several, so the edit need not be at the goal. Takes time linear in the channels for each of a fixed number of attempts.
#[must_use]
pub fn find(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    moves: &Moves,
    node: NodeIndex,
    goal: Option<NodeIndex>,
) -> Option<Edit> {
    if goal == Some(node) {
        return None;
    }
    let attempts = attempts(graph, channels, moves, node, goal);
    attempts.into_iter().find(|edit| helps(graph, channels, moves, node, goal, edit))
}

/// Whether an edit lets updates of a node lead to the goal, or to the head if there is none, without giving opm more to object to.
#[must_use]
pub fn helps(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    moves: &Moves,
    node: NodeIndex,
    goal: Option<NodeIndex>,
    edit: &Edit,
) -> bool {
    let Some(old) = channels.get(edit.channel) else { return false };
    let Some(entries) = edited(&old.entries, edit) else { return false };
    let Some(place) = graph.channels.iter().position(|channel| channel.name == old.name) else {
        return false;
    };
    let Some(new) = graph.channel_with(place, entries) else { return false };
    if new.problems() > old.problems() {
        return false;
    }
    let mut after: Vec<&ChannelGraph<'_>> = channels.to_vec();
    if let Some(slot) = after.get_mut(edit.channel) {
        *slot = &new;
    }
    let after = Moves::new(graph, &after, moves.semantics);
    // An edit that makes somebody else the head has not helped, unless there was none.
    let keeps_head = moves.head.is_none() || moves.head == after.head;
    let reaches_goal = match goal {
        Some(goal) => after.updates_until(goal).get(node).copied().flatten().is_some(),
        None => after.reaches_head(node),
    };
    keeps_head && reaches_goal
}

/// The entries of a channel after an edit; nothing where the edit names no entry of it.
#[must_use]
pub fn edited(entries: &[ChannelEntry], edit: &Edit) -> Option<Vec<ChannelEntry>> {
    let mut entries = entries.to_vec();
    let entry = entries.iter_mut().find(|entry| entry.name == edit.entry)?;
    match &edit.change {
        Change::SetReplaces(name) => entry.replaces.clone_from(name),
        Change::ClearReplaces(_) => entry.replaces.clear(),
        Change::AddSkip(name) => entry.skips.push(name.clone()),
        Change::SetSkipRange { new, .. } => entry.skip_range.clone_from(new),
    }
    Some(entries)
}

/// What may help, the smallest edits first.
fn attempts(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    moves: &Moves,
    node: NodeIndex,
    goal: Option<NodeIndex>,
) -> Vec<Edit> {
    let (places, subject) = match &moves.refusal {
        None => (nearest_targets(graph, channels, moves, node, goal), node),
        Some(Refusal::SeveralHeads(heads)) => return join_heads(graph, channels, heads, node),
        Some(Refusal::NoHead | Refusal::Cycle(_)) => return cut_cycle(graph, channels),
    };
    places.into_iter().flat_map(|place| edits_of(graph, channels, place, subject)).collect()
}

/// The entries that lead to the goal: the nearest newer ones, and the goal itself.
fn nearest_targets(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    moves: &Moves,
    node: NodeIndex,
    goal: Option<NodeIndex>,
) -> Vec<EntryPlace> {
    let until_goal = goal.map(|goal| moves.updates_until(goal));
    let reaches_goal = |target: NodeIndex| match &until_goal {
        Some(hops) => hops.get(target).copied().flatten().is_some(),
        None => moves.reaches_head(target),
    };
    let goal = goal.or(moves.head);
    let node_of =
        |place: &EntryPlace| channels.get(place.channel)?.edges.get(place.entry).map(|edges| edges.node);
    let leads_on = |target: NodeIndex| graph.is_newer(target, node) && reaches_goal(target);
    let mut places: Vec<(NodeIndex, EntryPlace)> =
        moves.order.iter().filter_map(|place| Some((node_of(place)?, *place))).collect();
    let last = places.iter().find(|(target, _)| Some(*target) == goal).copied();
    places.retain(|(target, _)| leads_on(*target) || Some(*target) == goal);
    places.sort_by_key(|(target, _)| *target);
    places.truncate(MOST_ENTRIES_TRIED);
    places.extend(last);
    places.into_iter().map(|(_, place)| place).collect()
}

/// Of two heads the higher one takes in the lower one, at itself or at the end of its chain.
fn join_heads(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    heads: &[NodeIndex],
    node: NodeIndex,
) -> Vec<Edit> {
    let (&[a, b], Some(channel)) = (heads, channels.first()) else { return Vec::new() };
    let (lower, higher) = (a.min(b), a.max(b));
    let entry_of = |node| channel.edges.iter().position(|edges| edges.node == node && !edges.is_repeated);
    let mut chain = Vec::new();
    let mut current = entry_of(higher);
    while let Some(entry) = current.filter(|_| chain.len() < channel.edges.len()) {
        chain.push(entry);
        let replaces = channel.edges.get(entry).and_then(|edges| edges.replaces);
        current = replaces.and_then(entry_of).filter(|_| chain.len() < MOST_ENTRIES_TRIED);
    }
    let subjects = if lower == node { vec![lower] } else { vec![lower, node] };
    let places = chain.into_iter().map(|entry| EntryPlace { channel: 0, entry });
    let places: Vec<EntryPlace> = places.collect();
    let pairs = subjects.iter().flat_map(|subject| places.iter().map(move |place| (*place, *subject)));
    pairs.flat_map(|(place, subject)| edits_of(graph, channels, place, subject)).collect()
}

/// Entries that replace something as new as themselves or newer, without that edge.
fn cut_cycle(graph: &PackageGraph<'_>, channels: &[&ChannelGraph<'_>]) -> Vec<Edit> {
    let Some(channel) = channels.first() else { return Vec::new() };
    let backwards = channel.edges.iter().enumerate().filter(|(_, edges)| {
        edges.replaces.is_some_and(|replaces| replaces == edges.node || graph.is_newer(replaces, edges.node))
    });
    let edits = backwards.filter_map(|(entry, _)| {
        let entry = channel.entries.get(entry)?;
        let change = Change::ClearReplaces(entry.replaces.clone());
        Some(Edit { channel: 0, entry: entry.name.clone(), change })
    });
    edits.take(MOST_ENTRIES_TRIED).collect()
}

/// The edits of an entry that make it cover a node.
fn edits_of(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    place: EntryPlace,
    subject: NodeIndex,
) -> Vec<Edit> {
    let channel = channels.get(place.channel);
    let entry = channel.and_then(|channel| channel.entries.get(place.entry));
    let target = channel.and_then(|channel| channel.edges.get(place.entry)).map(|edges| edges.node);
    let (Some(entry), Some(target), Some(node)) = (entry, target, graph.nodes.get(subject)) else {
        return Vec::new();
    };
    if target == subject {
        return Vec::new();
    }
    let version = |node: NodeIndex| graph.nodes.get(node).and_then(|node| node.version.as_ref());
    let mut changes = Vec::new();
    // Only what can be installed is worth a place in the chain.
    if entry.replaces.is_empty() && node.is_installable() {
        changes.push(Change::SetReplaces(node.name.clone()));
    }
    let skip = Change::AddSkip(node.name.clone());
    let range = version(subject).zip(version(target)).and_then(|(from, to)| {
        let new = widened(&entry.skip_range, &from.version, &to.version)?;
        Some(Change::SetSkipRange { old: entry.skip_range.clone(), new })
    });
    // The name of what nobody knows is a guess; its version is not.
    if node.kind == NodeKind::Supposed {
        changes.extend(range.into_iter().chain([skip]));
    } else {
        changes.extend([skip].into_iter().chain(range));
    }
    let edit = |change| Edit { channel: place.channel, entry: entry.name.clone(), change };
    changes.into_iter().map(edit).collect()
}

#[cfg(test)]
mod tests;
