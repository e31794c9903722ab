//! Pools and their nodes: what each node does, and how far a pool is.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::selector::LabelSelector;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};
use fbc_go::text::quote;

use super::health::{Insight, Level, UPDATE_SPEED, UPDATE_STALLED};
use super::{Facts, moment};
use crate::layout::align;

/// The pool of the control plane.
pub(super) const MASTER: &str = "master";
const WORKER: &str = "worker";
const PREFIX: &str = "machineconfiguration.openshift.io/";
/// So many nodes of a pool are shown, and all that are not well.
const SHOWN: usize = 10;
const NODES: &str = "https://docs.openshift.com/container-platform/latest/post_installation_configuration/machine-configuration-tasks.html#understanding-the-machine-config-operator";
const PAUSED: &str = "https://docs.openshift.com/container-platform/latest/support/troubleshooting/troubleshooting-operator-issues.html#troubleshooting-disabling-autoreboot-mco_troubleshooting-operator-issues";

/// How a node is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Assessment {
    Degraded,
    Unavailable,
    Progressing,
    Excluded,
    Outdated,
    Completed,
}

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Draining,
    Updating,
    Rebooting,
    Paused,
    Pending,
    Updated,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    name: String,
    assessment: Assessment,
    phase: Phase,
    version: String,
    estimate: &'static str,
    message: String,
    is_unavailable: bool,
    is_degraded: bool,
    is_updating: bool,
    is_updated: bool,
}

pub(super) struct Pool {
    pub(super) name: String,
    pub(super) nodes: Vec<Node>,
    assessment: &'static str,
}

/// Why no pods can run on a node.
struct Obstacle {
    reason: &'static str,
    since: Option<Moment>,
    message: String,
}

const WORK_IN_PROGRESS: &str = "Machine Config Daemon is processing the node";
const UNSCHEDULABLE: &str = "Node is marked unschedulable";
/// Conditions with the status that they should have, the reason and the words for the summary, and for how long a bad
/// one is no trouble.
const CONDITIONS: [(&str, &str, &str, &str, Milliseconds); 3] = [
    ("Ready", "True", "Not ready", "is not ready", 5 * MINUTE),
    ("DiskPressure", "False", "Disk pressure", "has disk pressure", MINUTE),
    ("NetworkUnavailable", "False", "Network unavailable", "has unavailable network", MINUTE),
];

fn annotation<'n>(node: &'n Object, key: &str) -> &'n str {
    node.annotation(&format!("{PREFIX}{key}")).unwrap_or_default()
}

/// The pools in the order of their names, and what is wrong with them.
pub(super) fn assess(facts: &Facts<'_>, becomes_multi: bool, insights: &mut Vec<Insight>) -> Vec<Pool> {
    let versions: BTreeMap<&str, &str> = facts
        .machine_configs
        .iter()
        .filter_map(|config| {
            Some((config.name(), config.annotation(&format!("{PREFIX}release-image-version"))?))
        })
        .collect();
    let pools = facts.pools.iter().map(|pool| {
        let mut nodes: Vec<Node> = facts
            .nodes
            .iter()
            .filter(|node| pool_of(node, facts.pools) == Some(pool.name()))
            .map(|node| look(node, pool, &versions, becomes_multi, facts, insights))
            .collect();
        nodes.sort_by(|one, other| {
            (one.assessment, one.phase, &one.name).cmp(&(other.assessment, other.phase, &other.name))
        });
        let pool = Pool { name: pool.name().to_owned(), assessment: assessment(&nodes), nodes };
        if pool.count(|node| node.phase == Phase::Paused) > 0 {
            insights.push(Insight {
                since: None,
                level: Level::Warning,
                impact: UPDATE_STALLED,
                summary: format!("Outdated nodes in a paused pool '{}' will not be updated", pool.name),
                description:
                    "Pool is paused, which stops all changes to the nodes in the pool, including updates. \
                              The nodes will not be updated until the pool is unpaused by the administrator."
                        .to_owned(),
                reference: PAUSED,
                about: ("machineconfigpools.machineconfiguration.openshift.io", pool.name.clone()),
            });
        }
        pool
    });
    pools.collect()
}

/// The pool whose configuration a node gets.
fn pool_of<'p>(node: &Object, pools: &'p [Object]) -> Option<&'p str> {
    let selects = |pool: &&Object| {
        LabelSelector::of_object(pool.at(&["spec", "nodeSelector"]))
            .is_ok_and(|selector| selector.matches_object(node))
    };
    let selecting: Vec<&str> = pools.iter().filter(selects).map(|pool| pool.name()).collect();
    let is_custom = |name: &&&str| ![MASTER, WORKER].contains(*name);
    let master = selecting.iter().find(|name| **name == MASTER);
    master.or_else(|| selecting.iter().find(is_custom)).or_else(|| selecting.first()).copied()
}

fn assessment(nodes: &[Node]) -> &'static str {
    let all = |phase: Phase| nodes.iter().all(|node| node.phase == phase);
    match () {
        () if all(Phase::Updated) => "Completed",
        () if all(Phase::Pending) => "Pending",
        () if nodes.iter().any(|node| node.is_degraded) => "Degraded",
        () if nodes.iter().any(|node| node.phase == Phase::Paused) => "Excluded",
        () => "Progressing",
    }
}

/// What a node is at, and what is wrong with it.
fn look(
    node: &Object,
    pool: &Object,
    versions: &BTreeMap<&str, &str>,
    becomes_multi: bool,
    facts: &Facts<'_>,
    insights: &mut Vec<Insight>,
) -> Node {
    let (current, desired) = (annotation(node, "currentConfig"), annotation(node, "desiredConfig"));
    let target = facts.history().first().map(|entry| entry.text(&["version"]));
    let version_of = |config: &str| versions.get(config).copied().filter(|version| !version.is_empty());
    let version = version_of(current);
    let (agrees, is_told) = (current == desired, desired == pool.text(&["spec", "configuration", "name"]));
    let is_updated =
        version.is_some() && version == target && (!becomes_multi || desired.is_empty() || agrees && is_told);
    let is_updating = !is_updated
        && version.is_some()
        && version_of(desired).is_some_and(|version| Some(version) == target)
        && !agrees
        && is_told;
    let obstacles = obstacles(node);
    let state = annotation(node, "state");
    let is_degraded = !desired.is_empty() && matches!(state, "Degraded" | "Unreconcilable");
    let phase = match () {
        () if is_updating && is_draining(node, state) => Phase::Draining,
        () if is_updating && state == "Rebooting" => Phase::Rebooting,
        () if is_updating && state == "Done" => Phase::Updated,
        () if is_updating => Phase::Updating,
        () if is_updated => Phase::Updated,
        () if pool.at(&["spec", "paused"]).is_some_and(|paused| paused == true) => Phase::Paused,
        () => Phase::Pending,
    };
    let (mut assessment, mut estimate) = match phase {
        Phase::Paused => (Assessment::Excluded, "-"),
        Phase::Pending => (Assessment::Outdated, "?"),
        Phase::Draining => (Assessment::Progressing, "+10m"),
        Phase::Updating | Phase::Rebooting => (Assessment::Progressing, "+5m"),
        Phase::Updated => (Assessment::Completed, "-"),
    };
    // A node that waits for an image of another pool is not counted.
    let is_unavailable = !obstacles.is_empty() && annotation(node, "desiredImage").is_empty();
    let unknown = if is_updated { "-" } else { "?" };
    let mut message = String::new();
    if is_unavailable && !is_updating {
        (assessment, estimate) = (Assessment::Unavailable, unknown);
        message = joined(&obstacles, |one| one.reason.to_owned());
        let is_serious = |one: &Obstacle| {
            let patience = CONDITIONS.iter().find(|(_, _, reason, _, _)| *reason == one.reason);
            patience.is_some_and(|(.., patience)| {
                one.since.is_none_or(|since| facts.now.since(since) >= *patience)
            })
        };
        if obstacles.iter().any(is_serious) {
            insights.push(Insight {
                since: obstacles.iter().filter_map(|one| one.since).min(),
                level: Level::Warning,
                impact: UPDATE_SPEED,
                summary: joined(&obstacles, |one| summary(one, node.name())),
                description: joined(&obstacles, description),
                reference: NODES,
                about: ("nodes", node.name().to_owned()),
            });
        }
    }
    if is_degraded {
        (assessment, estimate) = (Assessment::Degraded, unknown);
        annotation(node, "reason").clone_into(&mut message);
        insights.push(Insight {
            since: None,
            level: Level::Error,
            impact: UPDATE_STALLED,
            summary: format!("Node {} is degraded", node.name()),
            description: message.clone(),
            reference: NODES,
            about: ("nodes", node.name().to_owned()),
        });
    }
    if node.name().len() >= 8 {
        message = message.replace(node.name(), "<node>");
    }
    Node {
        name: node.name().to_owned(),
        assessment,
        phase,
        version: version.unwrap_or_default().to_owned(),
        estimate,
        message,
        is_unavailable,
        is_degraded,
        is_updating,
        is_updated,
    }
}

fn joined(obstacles: &[Obstacle], text: impl Fn(&Obstacle) -> String) -> String {
    obstacles.iter().map(text).collect::<Vec<_>>().join(" | ")
}

fn summary(obstacle: &Obstacle, node: &str) -> String {
    let known = CONDITIONS.iter().find(|(_, _, reason, _, _)| *reason == obstacle.reason);
    known.map_or_else(|| obstacle.reason.to_owned(), |(_, _, _, words, _)| format!("Node {node} {words}"))
}

fn description(obstacle: &Obstacle) -> String {
    let known = CONDITIONS.iter().find(|(_, _, reason, _, _)| *reason == obstacle.reason);
    known.map_or_else(
        || obstacle.reason.to_owned(),
        |(condition, wanted, reason, _, _)| {
            format!(
                "Node has a {condition}!={wanted} condition with Reason {} and message {}",
                quote(reason),
                quote(&obstacle.message)
            )
        },
    )
}

/// Whether a node drains, or is about to.
fn is_draining(node: &Object, state: &str) -> bool {
    let (desired, applied) = (annotation(node, "desiredDrain"), annotation(node, "lastAppliedDrain"));
    if desired.is_empty() || applied.is_empty() {
        return false;
    }
    desired != applied && desired.split('-').next() == Some("drain") || state == "Done"
}

fn obstacles(node: &Object) -> Vec<Obstacle> {
    let mut found: Vec<Obstacle> = node
        .list(&["status", "conditions"])
        .iter()
        .filter_map(|condition| {
            let is_bad = |(name, wanted, ..): &&(&str, &str, &str, &str, Milliseconds)| {
                condition["type"] == *name && condition["status"] != *wanted
            };
            let (_, _, reason, _, _) = CONDITIONS.iter().find(is_bad)?;
            Some(Obstacle {
                reason,
                since: moment(condition, &["lastTransitionTime"]),
                message: condition.text(&["message"]).to_owned(),
            })
        })
        .collect();
    let of = |reason| Obstacle { reason, since: None, message: String::new() };
    if node.at(&["spec", "unschedulable"]).is_some_and(|value| value == true) {
        found.push(of(UNSCHEDULABLE));
    }
    let state = annotation(node, "state");
    if found.is_empty() && !is_done(node, state) && !matches!(state, "Degraded" | "Unreconcilable") {
        found.push(of(WORK_IN_PROGRESS));
    }
    found
}

fn is_done(node: &Object, state: &str) -> bool {
    let (current, desired) = (annotation(node, "currentConfig"), annotation(node, "desiredConfig"));
    let images = (annotation(node, "currentImage"), annotation(node, "desiredImage"));
    !current.is_empty() && current == desired && images.0 == images.1 && state == "Done"
}

impl Pool {
    fn count(&self, is_meant: impl Fn(&Node) -> bool) -> usize {
        self.nodes.iter().filter(|node| is_meant(node)).count()
    }

    /// Whether nothing is left to do.
    pub(super) fn is_done(&self) -> bool {
        self.nodes.iter().all(|node| node.phase == Phase::Updated)
    }

    fn outdated(&self) -> usize {
        self.count(|node| node.phase != Phase::Updated)
    }

    fn progressing(&self) -> usize {
        self.count(|node| {
            matches!(node.phase, Phase::Draining | Phase::Updating | Phase::Rebooting) && !node.is_degraded
        })
    }

    /// The nodes: all of them, or the first ones and those that are not well.
    pub(super) fn nodes_text(&self, shows_all: bool) -> String {
        let Some(first) = self.nodes.first() else { return String::new() };
        let title = match self.name.as_str() {
            MASTER if self.is_done() => {
                return format!("\nAll control plane nodes successfully updated to {}\n", first.version);
            }
            MASTER => "\nControl Plane Nodes".to_owned(),
            name => format!("\nWorker Pool Nodes: {name}"),
        };
        let is_fine = |node: &Node| !node.is_degraded && (!node.is_unavailable || node.is_updating);
        let (mut table, mut omitted) =
            ("\nNAME\tASSESSMENT\tPHASE\tVERSION\tEST\tMESSAGE\n".to_owned(), Vec::new());
        for (index, node) in self.nodes.iter().enumerate() {
            if !shows_all && index >= SHOWN && is_fine(node) {
                omitted.push(node);
                continue;
            }
            let version = if node.version.is_empty() { "?" } else { &node.version };
            table.push_str(&format!(
                "{}\t{:?}\t{:?}\t{version}\t{}\t{}\n",
                node.name, node.assessment, node.phase, node.estimate, node.message
            ));
        }
        let mut out = title + &align(&table, 0, 3);
        if !omitted.is_empty() {
            let count =
                |is_meant: &dyn Fn(&Node) -> bool| omitted.iter().filter(|node| is_meant(node)).count();
            out.push_str(&format!(
                "...\nOmitted additional {} Total, {} Completed, {} Available, {} Progressing, {} Outdated, {} Draining, {} \
                 Excluded, and 0 Degraded nodes.\nPass along --details=nodes to see all information.\n",
                omitted.len(),
                count(&|node| node.is_updated),
                count(&|node| !node.is_unavailable),
                count(&|node| node.assessment == Assessment::Progressing),
                count(&|node| !node.is_updated),
                count(&|node| node.phase == Phase::Draining),
                count(&|node| node.phase == Phase::Paused),
            ));
        }
        out
    }
}

/// A line for each pool.
pub(super) fn table(pools: &[&Pool]) -> String {
    let mut table = "\nWORKER POOL\tASSESSMENT\tCOMPLETION\tSTATUS\n".to_owned();
    for pool in pools {
        let total = pool.nodes.len();
        if total == 0 {
            table.push_str(&format!("{}\tEmpty\t\t0 Total\n", pool.name));
            continue;
        }
        let updated = total - pool.outdated();
        let percent = updated as f64 / total as f64 * 100.0;
        table.push_str(&format!(
            "{}\t{}\t{percent:.0}% ({updated}/{total})\t{} Available, {} Progressing, {} Draining",
            pool.name,
            pool.assessment,
            pool.count(|node| !node.is_unavailable),
            pool.progressing(),
            pool.count(|node| node.phase == Phase::Draining)
        ));
        // The reference puts these two in any order.
        let excluded = pool.count(|node| node.phase == Phase::Paused);
        let degraded = pool.count(|node| node.is_degraded);
        for (count, word) in [(excluded, "Excluded"), (degraded, "Degraded")] {
            if count > 0 {
                table.push_str(&format!(", {count} {word}"));
            }
        }
        table.push('\n');
    }
    align(&table, 0, 3)
}
