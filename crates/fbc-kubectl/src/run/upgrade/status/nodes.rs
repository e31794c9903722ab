//! Nodes of pools: what each does, and what is wrong with it.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};
use fbc_go::text::quote;

use super::health::{Insight, Level, UPDATE_SPEED, UPDATE_STALLED};
use super::{Facts, moment};

/// What annotations of nodes and machine configurations begin with.
pub(super) const PREFIX: &str = "machineconfiguration.openshift.io/";
const NODES: &str = "https://docs.openshift.com/container-platform/latest/post_installation_configuration/machine-configuration-tasks.html#understanding-the-machine-config-operator";

/// How a node is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Assessment {
    Degraded,
    Unavailable,
    Progressing,
    Excluded,
    Outdated,
    Completed,
}

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Draining,
    Updating,
    Rebooting,
    Paused,
    Pending,
    Updated,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) assessment: Assessment,
    pub(super) phase: Phase,
    pub(super) version: String,
    pub(super) estimate: &'static str,
    pub(super) message: String,
    pub(super) is_unavailable: bool,
    pub(super) is_degraded: bool,
    pub(super) is_updating: bool,
    pub(super) is_updated: bool,
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

/// What a node is at, and what is wrong with it.
pub(super) fn look(
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
