//! The shortest safe route through a graph, over several minor versions: first as few risks that apply as possible, then as
//! few of which nobody knows, then as few updates that only candidate channels offer, which are early access and not supported,
//! then as few updates as possible, then the newest versions on the way.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::ObjectFields;
use fbc_version::Version;
use serde_json::Value;

use super::graph::{Graph, Node};
use super::offer::with_valid_rules;

/// Whether a risk applies to the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exposure {
    /// It applies.
    Applies,
    /// It does not.
    Avoided,
    /// It cannot be told; why.
    Unknown(String),
}

/// A risk of an update, and whether it applies.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The risk, as it stands in the graph.
    pub risk: Value,
    /// Whether it applies.
    pub exposure: Exposure,
}

/// An update on a route.
#[derive(Debug, Clone, PartialEq)]
pub struct Hop {
    /// The version before.
    pub from: String,
    /// The version after.
    pub to: String,
    /// The image to update to.
    pub image: String,
    /// Channels that offer the update: both releases are in them.
    pub channels: Vec<String>,
    /// Whether only channels for early access offer it.
    pub is_early: bool,
    /// The risks of the update; none for a recommended one.
    pub risks: Vec<Judged>,
}

/// The best route between two versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// The updates, in their order.
    pub hops: Vec<Hop>,
    /// How many routes are as good, this one included; which versions are on the way does not count.
    pub equal: u64,
}

/// An update that a graph offers, by the indexes of its nodes.
#[derive(Debug, Clone, PartialEq)]
struct Edge {
    from: usize,
    to: usize,
    is_early: bool,
    risks: Vec<Judged>,
}

/// Channels of releases that are generally available; what they hold is supported.
const GENERAL: [&str; 3] = ["stable-", "fast-", "eus-"];

/// Channels that offer an update: both releases are in them.
fn shared(from: &[String], to: &[String]) -> Vec<String> {
    to.iter().filter(|channel| from.contains(channel)).cloned().collect()
}

/// Whether only candidate channels offer an update. Of releases that are in no channel nothing is known.
fn is_early(from: &[String], to: &[String]) -> bool {
    let is_general = |channel: &String| GENERAL.iter().any(|prefix| channel.starts_with(prefix));
    !from.is_empty() && !to.is_empty() && !shared(from, to).iter().any(is_general)
}

/// How good a route is; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Cost {
    applying: usize,
    unknown: usize,
    early: usize,
    updates: usize,
}

impl Cost {
    fn and(self, edge: &Edge) -> Self {
        let count =
            |wanted: fn(&Exposure) -> bool| edge.risks.iter().filter(|one| wanted(&one.exposure)).count();
        Self {
            applying: self.applying + count(|exposure| *exposure == Exposure::Applies),
            unknown: self.unknown + count(|exposure| matches!(exposure, Exposure::Unknown(_))),
            early: self.early + usize::from(edge.is_early),
            updates: self.updates + 1,
        }
    }
}

/// The updates of a graph, as clusters take them: where an update is recommended and has risks, the risks count; where an
/// update stands with risks twice, or with a risk that nobody can evaluate, clusters do not offer it.
fn edges(graph: &Graph, judge: &mut dyn FnMut(&Value) -> Exposure) -> Vec<Edge> {
    let index: BTreeMap<String, usize> =
        graph.nodes.iter().enumerate().map(|(index, node)| (node.version.to_string(), index)).collect();
    let mut conditional: BTreeMap<(usize, usize), Vec<&[Value]>> = BTreeMap::new();
    for group in &graph.conditional_edges {
        for (from, to) in &group.edges {
            if let (Some(from), Some(to)) = (index.get(from), index.get(to)) {
                conditional.entry((*from, *to)).or_default().push(&group.risks);
            }
        }
    }
    let channels: Vec<Vec<String>> = graph.nodes.iter().map(Node::channels).collect();
    let early = |from: usize, to: usize| {
        channels.get(from).zip(channels.get(to)).is_some_and(|(from, to)| is_early(from, to))
    };
    let mut known: BTreeMap<String, Exposure> = BTreeMap::new();
    let mut edges = Vec::new();
    for ((from, to), lists) in &conditional {
        let [risks] = lists.as_slice() else { continue };
        let risks: Option<Vec<Value>> = risks.iter().cloned().map(with_valid_rules).collect();
        let Some(risks) = risks else { continue };
        let judged = risks.into_iter().map(|risk| {
            let exposure = known.entry(risk.to_string()).or_insert_with(|| judge(&risk)).clone();
            Judged { risk, exposure }
        });
        let is_early = early(*from, *to);
        edges.push(Edge { from: *from, to: *to, is_early, risks: judged.collect() });
    }
    let plain: BTreeSet<(usize, usize)> = graph.edges.iter().copied().collect();
    let exists = |(from, to): &(usize, usize)| *from < graph.nodes.len() && *to < graph.nodes.len();
    edges.extend(
        plain
            .into_iter()
            .filter(|edge| exists(edge) && !conditional.contains_key(edge))
            .map(|(from, to)| Edge { from, to, is_early: early(from, to), risks: Vec::new() }),
    );
    edges
}

/// The best route between two versions of a graph; nothing if there is none. `judge` says whether a risk applies.
pub fn route(
    graph: &Graph,
    from: &Version,
    to: &Version,
    judge: &mut dyn FnMut(&Value) -> Exposure,
) -> Option<Route> {
    let place = |version: &Version| graph.nodes.iter().position(|node| node.version == *version);
    let (start, end) = (place(from)?, place(to)?);
    let edges = edges(graph, judge);
    let mut by_start: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, edge) in edges.iter().enumerate() {
        by_start.entry(edge.from).or_default().push(number);
    }
    // Newer versions first, so that of equal routes the one over newer versions is found first.
    let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
    order.sort_by(|one, other| graph.nodes[*other].version.compare_precedence(&graph.nodes[*one].version));
    let mut rank = vec![0; order.len()];
    for (position, node) in order.iter().enumerate() {
        rank[*node] = position;
    }
    let mut best: Vec<Option<(Cost, Option<usize>)>> = vec![None; graph.nodes.len()];
    // Every update costs something, so that all routes to a node are known before any that leads on from it.
    let mut equal = vec![0_u64; graph.nodes.len()];
    equal[start] = 1;
    let mut open = BTreeSet::new();
    best[start] = Some((Cost::default(), None));
    open.insert((Cost::default(), rank[start], start));
    while let Some((cost, _, node)) = open.pop_first() {
        if node == end {
            break;
        }
        for number in by_start.get(&node).into_iter().flatten() {
            let edge = &edges[*number];
            let next = cost.and(edge);
            if best[edge.to].is_some_and(|(known, _)| next == known) {
                equal[edge.to] = equal[edge.to].saturating_add(equal[node]);
            }
            if best[edge.to].is_none_or(|(known, _)| next < known) {
                if let Some((known, _)) = best[edge.to] {
                    open.remove(&(known, rank[edge.to], edge.to));
                }
                best[edge.to] = Some((next, Some(*number)));
                equal[edge.to] = equal[node];
                open.insert((next, rank[edge.to], edge.to));
            }
        }
    }
    let mut hops = Vec::new();
    let mut node = end;
    while node != start {
        let edge = &edges[best[node]?.1?];
        hops.push(hop(graph, edge));
        node = edge.from;
    }
    hops.reverse();
    Some(Route { hops, equal: equal[end] })
}

fn hop(graph: &Graph, edge: &Edge) -> Hop {
    let (from, to) = (&graph.nodes[edge.from], &graph.nodes[edge.to]);
    Hop {
        from: from.version.to_string(),
        to: to.version.to_string(),
        image: to.image.clone(),
        channels: shared(&from.channels(), &to.channels()),
        is_early: edge.is_early,
        risks: edge.risks.clone(),
    }
}

impl Graph {
    /// The graph of a channel: releases in it, and the updates between them.
    #[must_use]
    pub fn of_channel(&self, channel: &str) -> Self {
        let is_in: Vec<bool> =
            self.nodes.iter().map(|node| node.channels().iter().any(|one| one == channel)).collect();
        self.keeping(&is_in)
    }

    /// The graph of some of the nodes.
    pub(crate) fn keeping(&self, keeps: &[bool]) -> Self {
        let mut places = BTreeMap::new();
        let mut nodes = Vec::new();
        let mut versions = BTreeSet::new();
        for (index, node) in
            self.nodes.iter().enumerate().filter(|(index, _)| keeps.get(*index) == Some(&true))
        {
            places.insert(index, nodes.len());
            versions.insert(node.version.to_string());
            nodes.push(node.clone());
        }
        let edges = self.edges.iter().filter_map(|(from, to)| Some((*places.get(from)?, *places.get(to)?)));
        let groups = self.conditional_edges.iter().filter_map(|group| {
            let mut group = group.clone();
            group.edges.retain(|(from, to)| versions.contains(from) && versions.contains(to));
            (!group.edges.is_empty()).then_some(group)
        });
        Self { nodes, edges: edges.collect(), conditional_edges: groups.collect() }
    }
}

/// The names of the risks that apply or may apply.
pub fn exposed(risks: &[Judged]) -> Vec<&str> {
    let counts = risks.iter().filter(|one| one.exposure != Exposure::Avoided);
    counts.map(|one| one.risk.text(&["name"])).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn graph() -> Graph {
        let node = |version: &str| {
            json!({"version": version, "payload": format!("example.com/{version}"),
                   "metadata": {"io.openshift.upgrades.graph.release.channels": "stable-4.11,stable-4.12"}})
        };
        let versions = ["4.10.22", "4.10.26", "4.11.3", "4.11.9", "4.12.1", "4.11.7"];
        let risk = |name: &str, kind: &str| json!({"url": "https://example.com", "name": name, "message": "m", "matchingRules": [{"type": kind, "promql": if kind == "PromQL" { json!({"promql": name}) } else { Value::Null }}]});
        let value = json!({
            "nodes": versions.map(node),
            "edges": [[0, 1], [1, 2], [2, 4], [3, 4], [5, 4]],
            "conditionalEdges": [
                {"edges": [{"from": "4.10.22", "to": "4.11.9"}], "risks": [risk("Always", "Always")]},
                {"edges": [{"from": "4.10.26", "to": "4.11.9"}], "risks": [risk("aws", "PromQL")]},
                {"edges": [{"from": "4.10.26", "to": "4.11.7"}], "risks": [risk("odd", "Odd")]},
            ],
        });
        Graph::parse(value.to_string().as_bytes()).unwrap()
    }

    fn versions(exposure: &Exposure) -> Vec<String> {
        let version = |text: &str| Version::parse(text).unwrap();
        let mut judge = |risk: &Value| match risk.text(&["name"]) {
            "Always" => Exposure::Applies,
            _ => exposure.clone(),
        };
        let route = route(&graph(), &version("4.10.22"), &version("4.12.1"), &mut judge).unwrap();
        route.hops.into_iter().map(|hop| hop.to).collect()
    }

    #[test]
    fn a_risk_that_applies_is_worth_another_update() {
        // Of two safe routes of three updates the one over newer versions counts.
        assert_eq!(versions(&Exposure::Avoided), ["4.10.26", "4.11.9", "4.12.1"]);
        assert_eq!(versions(&Exposure::Applies), ["4.10.26", "4.11.3", "4.12.1"]);
        assert_eq!(versions(&Exposure::Unknown("no facts".to_owned())), ["4.10.26", "4.11.3", "4.12.1"]);
    }

    #[test]
    fn there_may_be_no_route() {
        let version = |text: &str| Version::parse(text).unwrap();
        let mut judge = |_: &Value| Exposure::Avoided;
        assert_eq!(route(&graph(), &version("4.12.1"), &version("4.10.22"), &mut judge), None);
        assert_eq!(route(&graph(), &version("4.9.0"), &version("4.12.1"), &mut judge), None);
        let stays = Some(Route { hops: Vec::new(), equal: 1 });
        assert_eq!(route(&graph(), &version("4.12.1"), &version("4.12.1"), &mut judge), stays);
    }

    #[test]
    fn releases_that_are_generally_available_come_first() {
        let node = |(version, channels): (&str, &str)| {
            json!({"version": version, "payload": format!("example.com/{version}"),
                   "metadata": {"io.openshift.upgrades.graph.release.channels": channels}})
        };
        let route = |releases: &[(&str, &str)], edges: Value| {
            let nodes: Vec<Value> = releases.iter().copied().map(node).collect();
            let value = json!({"nodes": nodes, "edges": edges});
            let graph = Graph::parse(value.to_string().as_bytes()).unwrap();
            let version = |text: &str| Version::parse(text).unwrap();
            let route =
                super::route(&graph, &version("4.18.1"), &version("4.19.0"), &mut |_| Exposure::Avoided);
            let route = route.unwrap();
            let hops: Vec<(String, bool)> =
                route.hops.into_iter().map(|hop| (hop.to, hop.is_early)).collect();
            (hops, route.equal)
        };
        let hop = |to: &str, is_early: bool| (to.to_owned(), is_early);
        let (all, early) = ("candidate-4.19,fast-4.19,stable-4.19", "candidate-4.19");
        let equal = [("4.18.1", all), ("4.18.2", all), ("4.18.3", early), ("4.19.0", all)];
        let edges = json!([[0, 1], [0, 2], [1, 3], [2, 3]]);
        assert_eq!(route(&equal, edges.clone()), (vec![hop("4.18.2", false), hop("4.19.0", false)], 1));
        // One update more is better than one that is not supported.
        let longer = json!([[0, 1], [1, 3], [0, 2], [2, 3], [0, 3]]);
        let target = [("4.18.1", early), ("4.18.2", all), ("4.18.3", early), ("4.19.0", all)];
        assert_eq!(route(&target, longer), (vec![hop("4.19.0", true)], 1));
        let none = [("4.18.1", ""), ("4.18.2", ""), ("4.18.3", ""), ("4.19.0", "")];
        assert_eq!(route(&none, edges), (vec![hop("4.18.3", false), hop("4.19.0", false)], 2));
    }

    #[test]
    fn a_channel_keeps_what_is_in_it() {
        let mut whole = graph();
        whole.nodes[2].metadata.clear();
        let kept = whole.of_channel("stable-4.12");
        assert_eq!(kept.nodes.len(), 5);
        assert_eq!(kept.edges, [(0, 1), (2, 3), (4, 3)]);
        assert!(kept.faults().is_empty());
    }
}
