//! Counts and conditions of a pool.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/node/status.go` (MC-27, MC-28).

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::machine_config_node::{MachineConfigNodeState, Verdict};
use super::node_state::NodeState;

/// What a status is made of.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// The nodes of the pool, in the order of their names.
    pub nodes: &'f [Arc<NodeState>],
    /// Their MachineConfigNodes, as far as there are any, in the same order.
    pub machine_config_nodes: &'f [Arc<MachineConfigNodeState>],
    /// Whether updated and degraded nodes are counted from MachineConfigNodes (gate `ImageModeStatusReporting`).
    pub counts_machine_config_nodes: bool,
    /// The present moment.
    pub now: Moment,
}

/// The status that a pool is to have.
pub fn status(pool: &Object, facts: &Facts<'_>) -> Value {
    let target = pool.text(&["spec", "configuration", "name"]);
    let count =
        |is_meant: &dyn Fn(&NodeState) -> bool| facts.nodes.iter().filter(|node| is_meant(node)).count();
    let reports = Reports::of(facts, target);
    let total = facts.nodes.len();
    let ready = count(&|node| node.is_updated(target) && node.is_ready);
    let unavailable = count(&|node| node.is_unavailable);
    let (updated, degraded) = if facts.counts_machine_config_nodes {
        (reports.updated, reports.degraded.len())
    } else {
        (count(&|node| node.is_updated(target)), count(&|node| node.is_degraded))
    };
    let mut status = json!({
        "observedGeneration": pool.generation(),
        "machineCount": total,
        "updatedMachineCount": updated,
        "readyMachineCount": ready,
        "unavailableMachineCount": unavailable,
        "degradedMachineCount": degraded,
    });
    let is_updated = updated == total && ready == total && unavailable == 0;
    let configuration = if is_updated { ["spec", "configuration"] } else { ["status", "configuration"] };
    if let Some(configuration) = pool.at(&configuration) {
        status.set(&["configuration"], configuration.clone());
    }
    let mut conditions = pool.list(&["status", "conditions"]).to_vec();
    let mut set = |condition_type: &str, is_true: bool, reason: &str, message: &str| {
        set_condition(&mut conditions, facts.now, condition_type, is_true, reason, message);
    };
    if is_updated {
        set("Updated", true, "", &format!("All nodes are updated with MachineConfig {target}"));
        set("Updating", false, "", "");
    } else {
        set("Updated", false, "", "");
        let is_paused = pool.at(&["spec", "paused"]).is_some_and(|paused| paused == true);
        let message = if is_paused {
            format!("Pool is paused; will not update to MachineConfig {target}")
        } else {
            format!("All nodes are updating to MachineConfig {target}")
        };
        set("Updating", !is_paused, "", &message);
    }
    let (reason, message) = if degraded > 0 {
        let reason = format!("{} nodes are reporting degraded status on sync", reports.degraded.len());
        (reason, reports.messages())
    } else {
        (String::new(), String::new())
    };
    set("NodeDegraded", degraded > 0, &reason, &message);
    let is_degraded = degraded > 0 || pool.condition_status("RenderDegraded") == "True";
    set("Degraded", is_degraded, "", &message);
    status.set(&["conditions"], conditions);
    status
}

/// What MachineConfigNodes say about the nodes of a pool.
struct Reports<'f> {
    updated: usize,
    /// Degraded nodes, and what is said about them.
    degraded: Vec<(&'f Object, &'f str)>,
}

impl<'f> Reports<'f> {
    fn of(facts: &Facts<'f>, target: &str) -> Self {
        let mut reports = Self { updated: 0, degraded: Vec::new() };
        let mut nodes = facts.nodes.iter();
        for report in facts.machine_config_nodes {
            // Both come in the order of their names.
            let node = nodes.find(|state| state.node.name() == report.object.name());
            let (Some(state), true) = (node, report.has_conditions) else { break };
            // The reference goes through the conditions in their order, and the first one that decides ends it.
            for verdict in &report.verdicts {
                match verdict {
                    Verdict::Degraded(message) => {
                        reports.degraded.push((&state.node, message));
                        break;
                    }
                    Verdict::Updated
                        if facts.counts_machine_config_nodes && report.desired.as_deref() == Some(target) =>
                    {
                        reports.updated += 1;
                        break;
                    }
                    Verdict::Updated => {}
                }
            }
        }
        reports
    }

    fn messages(&self) -> String {
        let texts = self.degraded.iter().map(|(node, text)| (node.name(), *text));
        let reasons = self.degraded.iter().filter_map(|(node, _)| {
            let reason = node.annotation(super::annotation::REASON).filter(|reason| !reason.is_empty());
            Some((node.name(), reason?))
        });
        let lines: Vec<String> =
            texts.chain(reasons).map(|(name, text)| format!("Node {name} is reporting: {text:?}")).collect();
        lines.join(", ")
    }
}

/// Puts a condition at the end of a list, unless it says the same already. The time moves with the status alone.
///
/// Source: `openshift/api:machineconfiguration/v1`, `openshift/machine-config-operator:pkg/apihelpers/apihelpers.go`.
fn set_condition(
    conditions: &mut Vec<Value>,
    now: Moment,
    condition_type: &str,
    is_true: bool,
    reason: &str,
    message: &str,
) {
    let status = if is_true { "True" } else { "False" };
    let present = conditions.iter().find(|condition| condition["type"] == condition_type);
    if present
        .is_some_and(|one| one["status"] == status && one["reason"] == reason && one["message"] == message)
    {
        return;
    }
    let since = present
        .filter(|condition| condition["status"] == status)
        .map_or_else(|| now.to_string(), |condition| condition.text(&["lastTransitionTime"]).to_owned());
    conditions.retain(|condition| condition["type"] != condition_type);
    conditions.push(json!({
        "type": condition_type, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": since,
    }));
}
