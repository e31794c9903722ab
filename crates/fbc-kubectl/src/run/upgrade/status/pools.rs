//! Pools: how far each of them is, and its nodes as a table.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::selector::LabelSelector;

use super::Facts;
use super::health::{Insight, Level, UPDATE_STALLED};
use super::nodes::{Assessment, Node, PREFIX, Phase, look};
use crate::layout::align;

/// The pool of the control plane.
pub(super) const MASTER: &str = "master";
const WORKER: &str = "worker";
/// So many nodes of a pool are shown, and all that are not well.
const SHOWN: usize = 10;
const PAUSED: &str = "https://docs.openshift.com/container-platform/latest/support/troubleshooting/troubleshooting-operator-issues.html#troubleshooting-disabling-autoreboot-mco_troubleshooting-operator-issues";

pub(super) struct Pool {
    pub(super) name: String,
    pub(super) nodes: Vec<Node>,
    assessment: &'static str,
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
