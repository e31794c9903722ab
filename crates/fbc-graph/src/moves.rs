//! How clusters move along the edges: what is taken next, how far that leads, and which way would be shortest.
//!
//! Both generations of OLM choose the most preferred entry that covers what is installed; they differ in the
//! order of preference alone:
//!
//! * OLM v0 follows one channel. It walks `replaces` down from the one head, passes what is skipped, and takes the
//!   first entry on that way that replaces or skips the installed name, or whose `skipRange` holds the installed
//!   version. A channel with several heads, none, or a cycle moves nobody.
//!   Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go`
//!   (`getSubscriptionVariables`, `sortChannel`).
//! * OLM v1 knows neither heads nor chains. Of all entries of the channels it takes one that is not deprecated
//!   before one that is, then the highest version and release. What is installed covers itself, so a lower
//!   version, or a deprecated one in the place of one that is not, is not taken while the installed version is there.
//!   Source: `operator-framework/operator-controller:internal/operator-controller/resolve/catalog.go` and
//!   `catalogmetadata/filter/successors.go`.
//!
//! Requirements of bundles and version ranges of cluster extensions do not count here. An entry without a bundle
//! cannot be installed, so nothing moves to it; it keeps its place in the chain.

use std::cmp::Ordering;

use crate::package::{ChannelGraph, NodeIndex, PackageGraph};

/// Whose meaning of the edges counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    /// OLM v0, also called classic.
    V0,
    /// OLM v1.
    V1,
}

/// An entry: the place of the channel among those that are followed, and of the entry in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPlace {
    /// The channel.
    pub channel: usize,
    /// The entry.
    pub entry: usize,
}

/// The edges of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// `replaces`
    Replaces,
    /// `skips`
    Skips,
    /// `skipRange`
    SkipRange,
}

/// One update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// What is installed then.
    pub to: NodeIndex,
    /// The entry that allows it.
    pub entry: EntryPlace,
    /// The first of its edges that covers what was installed, in the order of [`EdgeKind`].
    pub edge: EdgeKind,
}

/// Where updates lead in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The last node; of a route that runs in circles, the first one that is reached twice.
    pub end: NodeIndex,
    /// The number of updates up to there.
    pub hops: usize,
    /// Whether updates never come to an end.
    pub is_circle: bool,
}

/// Why OLM v0 refuses a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Everything is replaced or skipped.
    NoHead,
    /// Several entries are replaced and skipped by none.
    SeveralHeads(Vec<NodeIndex>),
    /// The walk down from the head comes back to the entry of this node.
    Cycle(NodeIndex),
}

/// How a cluster that follows some channels moves.
#[derive(Clone, Debug)]
pub struct Moves {
    /// Whose meaning of the edges it is.
    pub semantics: Semantics,
    /// What can be moved to, the most preferred first.
    pub order: Vec<EntryPlace>,
    /// Why nothing can be moved to, in OLM v0.
    pub refusal: Option<Refusal>,
    /// What a fresh installation gets: in OLM v0 the head of the channel, in OLM v1 the highest version.
    pub head: Option<NodeIndex>,
    /// The next update of each node.
    pub next: Vec<Option<Move>>,
    /// Where updates of each node lead.
    pub routes: Vec<Route>,
}

/// A node on a shortest way to some target: the number of updates, and the first of them (none at the target).
pub type ShortestWay = (usize, Option<Move>);

impl Moves {
    /// How clusters move that follow these channels: one for OLM v0 (of several the first counts), any number for
    /// OLM v1. Takes time nearly linear in nodes and edges as they are written.
    #[must_use]
    pub fn new(graph: &PackageGraph<'_>, channels: &[&ChannelGraph<'_>], semantics: Semantics) -> Self {
        let (order, refusal) = match semantics {
            Semantics::V0 => order_v0(graph, channels),
            Semantics::V1 => (order_v1(graph, channels), None),
        };
        let next = next(graph, channels, &order, semantics);
        let routes = routes(&next);
        let head = order.first().and_then(|place| node_of(channels, *place));
        Self { semantics, order, refusal, head, next, routes }
    }

    /// Whether updates of a node lead to the head.
    #[must_use]
    pub fn reaches_head(&self, node: NodeIndex) -> bool {
        let route = self.routes.get(node);
        route.is_some_and(|route| !route.is_circle && Some(route.end) == self.head)
    }

    /// The updates of a node, one after another; a circle once.
    #[must_use]
    pub fn route(&self, node: NodeIndex) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut seen = vec![false; self.next.len()];
        let mut current = node;
        while let Some(found) = self.next.get(current).copied().flatten() {
            if let Some(flag) = seen.get_mut(current) {
                if *flag {
                    break;
                }
                *flag = true;
            }
            moves.push(found);
            current = found.to;
        }
        moves
    }

    /// How many updates each node really takes to a target; nothing where they do not lead there.
    #[must_use]
    pub fn updates_until(&self, target: NodeIndex) -> Vec<Option<usize>> {
        let mut before: Vec<Vec<NodeIndex>> = vec![Vec::new(); self.next.len()];
        for (node, next) in self.next.iter().enumerate() {
            if let Some(list) = next.and_then(|next| before.get_mut(next.to)) {
                list.push(node);
            }
        }
        let mut hops = vec![None; self.next.len()];
        let mut layer = vec![target];
        for count in 0.. {
            let mut following = Vec::new();
            for node in layer {
                if let Some(slot) = hops.get_mut(node).filter(|slot| slot.is_none()) {
                    *slot = Some(count);
                    following.extend(before.get(node).into_iter().flatten().copied());
                }
            }
            if following.is_empty() {
                break;
            }
            layer = following;
        }
        hops
    }

    /// The fewest updates from each node to a target, whatever the preference: what somebody could do who approves
    /// or names each version by hand. Takes time nearly linear in nodes and edges as they are written.
    #[must_use]
    pub fn shortest_ways(
        &self,
        channels: &[&ChannelGraph<'_>],
        target: NodeIndex,
    ) -> Vec<Option<ShortestWay>> {
        let mut ways: Vec<Option<ShortestWay>> = vec![None; self.next.len()];
        let mut unvisited = Unfilled::new(self.next.len());
        let mut entries: Vec<Vec<EntryPlace>> = vec![Vec::new(); self.next.len()];
        for place in &self.order {
            if let Some(list) = node_of(channels, *place).and_then(|node| entries.get_mut(node)) {
                list.push(*place);
            }
        }
        if let Some(way) = ways.get_mut(target) {
            *way = Some((0, None));
        }
        unvisited.take(target..target.saturating_add(1), |_| {});
        let mut queue = std::collections::VecDeque::from([(target, 0)]);
        while let Some((node, hops)) = queue.pop_front() {
            for place in entries.get(node).into_iter().flatten() {
                each_covered(channels, *place, &mut unvisited, |source, edge| {
                    if let Some(way) = ways.get_mut(source) {
                        *way = Some((hops + 1, Some(Move { to: node, entry: *place, edge })));
                    }
                    queue.push_back((source, hops + 1));
                });
            }
        }
        ways
    }
}

/// The node of an entry.
fn node_of(channels: &[&ChannelGraph<'_>], place: EntryPlace) -> Option<NodeIndex> {
    channels.get(place.channel)?.edges.get(place.entry).map(|edges| edges.node)
}

/// Hands over every node that an entry covers and that was not taken before.
fn each_covered(
    channels: &[&ChannelGraph<'_>],
    place: EntryPlace,
    unfilled: &mut Unfilled,
    mut use_node: impl FnMut(NodeIndex, EdgeKind),
) {
    let edges = channels.get(place.channel).and_then(|channel| channel.edges.get(place.entry));
    let Some(edges) = edges else { return };
    if let Some(node) = edges.replaces {
        unfilled.take(node..node + 1, |node| use_node(node, EdgeKind::Replaces));
    }
    for &node in &edges.skips {
        unfilled.take(node..node + 1, |node| use_node(node, EdgeKind::Skips));
    }
    for run in &edges.covered {
        unfilled.take(run.clone(), |node| use_node(node, EdgeKind::SkipRange));
    }
}

fn order_v0(graph: &PackageGraph<'_>, channels: &[&ChannelGraph<'_>]) -> (Vec<EntryPlace>, Option<Refusal>) {
    let Some(channel) = channels.first() else { return (Vec::new(), None) };
    let node = |entry: usize| channel.edges.get(entry).map(|edges| edges.node).unwrap_or(usize::MAX);
    let head = match channel.analysis.heads.as_slice() {
        [head] => *head,
        [] if channel.entries.is_empty() => return (Vec::new(), None),
        [] => return (Vec::new(), Some(Refusal::NoHead)),
        heads => {
            return (Vec::new(), Some(Refusal::SeveralHeads(heads.iter().map(|&head| node(head)).collect())));
        }
    };
    let entry_of_node = channel.entry_of_nodes(graph.nodes.len());
    let mut visited = vec![false; channel.edges.len()];
    let mut order = Vec::new();
    let mut current = Some(head);
    while let Some(entry) = current {
        match visited.get_mut(entry) {
            Some(flag) if !*flag => *flag = true,
            _ => return (Vec::new(), Some(Refusal::Cycle(node(entry)))),
        }
        let is_installable = graph.nodes.get(node(entry)).is_some_and(|node| node.is_installable());
        if !channel.is_skipped(entry) && is_installable {
            order.push(EntryPlace { channel: 0, entry });
        }
        let replaces = channel.edges.get(entry).and_then(|edges| edges.replaces);
        current = replaces.and_then(|target| entry_of_node.get(target).copied().flatten());
    }
    (order, None)
}

fn order_v1(graph: &PackageGraph<'_>, channels: &[&ChannelGraph<'_>]) -> Vec<EntryPlace> {
    let mut order: Vec<(NodeIndex, EntryPlace)> = Vec::new();
    for (channel, edges) in channels.iter().map(|channel| &channel.edges).enumerate() {
        for (entry, edges) in edges.iter().enumerate() {
            let is_installable = graph.nodes.get(edges.node).is_some_and(|node| node.is_installable());
            if is_installable && !edges.is_repeated {
                order.push((edges.node, EntryPlace { channel, entry }));
            }
        }
    }
    order.sort_by(|(a, _), (b, _)| {
        let (Some(a), Some(b)) = (graph.nodes.get(*a), graph.nodes.get(*b)) else { return Ordering::Equal };
        let by_version = match (&a.version, &b.version) {
            (Some(a), Some(b)) => b.compare_precedence(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        let by_deprecation = a.deprecation.is_some().cmp(&b.deprecation.is_some());
        by_deprecation.then(by_version).then(a.position.cmp(&b.position))
    });
    order.into_iter().map(|(_, place)| place).collect()
}

fn next(
    graph: &PackageGraph<'_>,
    channels: &[&ChannelGraph<'_>],
    order: &[EntryPlace],
    semantics: Semantics,
) -> Vec<Option<Move>> {
    let count = graph.nodes.len();
    let mut next = vec![None; count];
    let mut unfilled = Unfilled::new(count);
    for place in order {
        let Some(to) = node_of(channels, *place) else { continue };
        if semantics == Semantics::V1 {
            // Staying is as good as any update to the same version, and better than all that come later.
            unfilled.take(graph.equal_versions(to), |_| {});
        }
        each_covered(channels, *place, &mut unfilled, |node, edge| {
            let can_move = match semantics {
                // An entry that covers itself is the one that would be installed: nothing changes.
                Semantics::V0 => node != to,
                // What has no version is refused.
                Semantics::V1 => graph.nodes.get(node).is_some_and(|node| node.version.is_some()),
            };
            if let Some(slot) = next.get_mut(node).filter(|_| can_move) {
                *slot = Some(Move { to, entry: *place, edge });
            }
        });
    }
    next
}

/// Follows every node to its end; each is visited once.
fn routes(next: &[Option<Move>]) -> Vec<Route> {
    let mut routes: Vec<Option<Route>> = vec![None; next.len()];
    let mut place_on_path: Vec<Option<usize>> = vec![None; next.len()];
    for start in 0..next.len() {
        let mut path = Vec::new();
        let mut current = start;
        let (found, circle_start) = loop {
            if let Some(route) = routes.get(current).copied().flatten() {
                break (route, None);
            }
            // What an earlier walk passed has a route already, so this place is of the present path.
            if let Some(place) = place_on_path.get(current).copied().flatten() {
                break (Route { end: current, hops: 0, is_circle: true }, Some(place));
            }
            let Some(found) = next.get(current).copied().flatten() else {
                break (Route { end: current, hops: 0, is_circle: false }, None);
            };
            if let Some(place) = place_on_path.get_mut(current) {
                *place = Some(path.len());
            }
            path.push(current);
            current = found.to;
        };
        for (place, &node) in path.iter().enumerate().rev() {
            // Whatever lies on a circle is its own end.
            let route = match circle_start {
                Some(start) if place >= start => Route { end: node, hops: 0, is_circle: true },
                Some(start) => Route { hops: start - place, ..found },
                None => Route { hops: found.hops + path.len() - place, ..found },
            };
            if let Some(slot) = routes.get_mut(node) {
                *slot = Some(route);
            }
        }
        if let Some(slot) = routes.get_mut(current) {
            slot.get_or_insert(found);
        }
    }
    routes.into_iter().flatten().collect()
}

/// A set of numbers that only loses members, in nearly constant time each: every number points to the next one
/// that may be in the set.
struct Unfilled {
    next: Vec<usize>,
}

impl Unfilled {
    fn new(count: usize) -> Self {
        Self { next: (0..=count).collect() }
    }

    /// The first member that is not below a number, or the count of numbers.
    fn first_from(&mut self, number: usize) -> usize {
        let mut root = number;
        while let Some(&next) = self.next.get(root).filter(|next| **next != root) {
            root = next;
        }
        let mut current = number;
        while let Some(slot) = self.next.get_mut(current).filter(|next| **next != root) {
            current = std::mem::replace(slot, root);
        }
        root
    }

    /// Takes the members of a run out and hands them over, ascending.
    fn take(&mut self, run: std::ops::Range<usize>, mut use_number: impl FnMut(usize)) {
        let end = run.end.min(self.next.len().saturating_sub(1));
        let mut number = self.first_from(run.start);
        while number < end {
            use_number(number);
            if let Some(slot) = self.next.get_mut(number) {
                *slot = number + 1;
            }
            number = self.first_from(number);
        }
    }
}

#[cfg(test)]
mod statements;
#[cfg(test)]
pub(crate) mod tests;
