//! What a control plane machine set says of itself, and what keeps it from acting.
//!
//! Source: `openshift/cluster-control-plane-machine-set-operator:pkg/controllers/controlplanemachineset/{status,controller}.go`
//! (MA-23).

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::machines::{Info, Machines};
use crate::machines::is_control_plane;

/// Reason of `Progressing` while something is wrong.
const OPERATOR_DEGRADED: &str = "OperatorDegraded";

/// Writes conditions as `meta.SetStatusCondition` does: the time moves with the status alone.
pub(super) struct Conditions<'s> {
    pub(super) status: &'s mut Value,
    pub(super) now: Moment,
}

impl Conditions<'_> {
    /// Sets a condition that says which generation it is of, unless that is not told.
    pub(super) fn set(
        &mut self,
        kind: &str,
        is_true: bool,
        reason: &str,
        message: &str,
        generation: Option<i64>,
    ) {
        let status = if is_true { "True" } else { "False" };
        let mut list = self.status.list(&["conditions"]).to_vec();
        let place = list.iter().position(|condition| condition["type"] == kind);
        let before = place.and_then(|index| list.get(index));
        let since = before.filter(|condition| condition["status"] == status);
        let since = since.map(|condition| condition.text(&["lastTransitionTime"]).to_owned());
        let mut condition = json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": since.unwrap_or_else(|| self.now.to_string()),
        });
        if let Some(generation) = generation {
            condition.set(&["observedGeneration"], generation);
        }
        match place.and_then(|index| list.get_mut(index)) {
            Some(place) => *place = condition,
            None => list.push(condition),
        }
        self.status.set(&["conditions"], list);
    }

    /// Something is wrong that somebody must put right; nothing is done until then.
    fn degrade(&mut self, reason: &str, message: &str) {
        self.set("Progressing", false, OPERATOR_DEGRADED, "", None);
        self.set("Degraded", true, reason, message, None);
    }
}

/// Counts the machines, and says what follows from the counts.
pub(super) fn count(status: &mut Value, set: &Object, machines: &Machines, now: Moment) {
    let counted = |is_counted: &dyn Fn(&Info) -> bool| machines.all().filter(|info| is_counted(info)).count();
    let unavailable =
        machines.indexes.values().filter(|index| !index.iter().any(|info| info.is_ready)).count();
    let (ready, updated) = (counted(&|info| info.is_ready), counted(&Info::is_updated));
    for (field, number) in [
        ("replicas", counted(&|_| true)),
        ("readyReplicas", ready),
        ("updatedReplicas", updated),
        ("unavailableReplicas", unavailable),
    ] {
        if number == 0 {
            status.remove(&[field]);
        } else {
            status.set(&[field], number);
        }
    }
    status.set(&["observedGeneration"], set.generation());
    let generation = Some(set.generation());
    let mut conditions = Conditions { status, now };
    let text = format!("Missing {unavailable} available replica(s)");
    match unavailable {
        0 => conditions.set("Available", true, "AllReplicasAvailable", "", generation),
        _ => conditions.set("Available", false, "UnavailableReplicas", &text, generation),
    }
    let reason = if ready == 0 { "NoReadyMachines" } else { "AsExpected" };
    conditions.set("Degraded", ready == 0, reason, "", generation);
    let wanted = machines.replicas;
    if wanted > updated {
        let text = format!("Observed {} replica(s) in need of update", wanted - updated);
        conditions.set("Progressing", true, "NeedsUpdateReplicas", &text, generation);
    } else if wanted < ready {
        let text = format!("Waiting for {} old replica(s) to be removed", ready - updated);
        conditions.set("Progressing", true, "ExcessReplicas", &text, generation);
    } else {
        conditions.set("Progressing", false, "AllReplicasUpdated", "", generation);
    }
}

/// Looks for what only people can put right; the first fault found is told.
pub(super) fn judge(status: &mut Value, set: &Object, machines: &Machines, api: &ApiServer) {
    let fault = no_ready_machine(machines)
        .or_else(|| unmanaged_nodes(machines, api))
        .or_else(|| excess_indexes(machines))
        .or_else(|| excess_updated(machines, set.text(&["spec", "strategy", "type"])))
        .or_else(|| failed_replacements(machines));
    if let Some((reason, message)) = fault {
        Conditions { status, now: api.now() }.degrade(reason, &message);
    }
}

/// A reason and a message.
type Fault = (&'static str, String);

fn no_ready_machine(machines: &Machines) -> Option<Fault> {
    let is_lame = |index: &Vec<Info>| !index.is_empty() && !index.iter().any(|info| info.is_ready);
    machines
        .indexes
        .values()
        .all(is_lame)
        .then(|| ("NoReadyMachines", "No ready control plane machines found".to_owned()))
}

fn unmanaged_nodes(machines: &Machines, api: &ApiServer) -> Option<Fault> {
    let is_managed = |node: &&Arc<Object>| {
        machines.all().any(|info| info.machine.text(&["status", "nodeRef", "name"]) == node.name())
    };
    let nodes = api.all("", "Node").filter(|node| is_control_plane(node));
    let count = nodes.filter(|node| !is_managed(node)).count();
    (count > 0).then(|| ("UnmanagedNodes", format!("Found {count} unmanaged node(s)")))
}

fn excess_indexes(machines: &Machines) -> Option<Fault> {
    let excess = machines.indexes.len().checked_sub(machines.replicas).filter(|excess| *excess > 0)?;
    Some(("ExcessIndexes", format!("Observed {excess} index(es) in excess")))
}

/// A rolling update deletes what is too much itself.
fn excess_updated(machines: &Machines, strategy: &str) -> Option<Fault> {
    if strategy != "OnDelete" {
        return None;
    }
    machines.indexes.iter().find_map(|(index, infos)| {
        let excess = infos.iter().filter(|info| info.is_updated()).count().checked_sub(1)?;
        let text = format!("Observed {excess} updated machine(s) in excess for index {index}");
        (excess > 0).then_some(("ExcessUpdatedReplicas", text))
    })
}

fn failed_replacements(machines: &Machines) -> Option<Fault> {
    let replacing = machines.indexes.values().filter(|index| index.iter().any(Info::needs_replacement));
    let failed = replacing
        .flatten()
        .filter(|info| info.is_pending() && !info.machine.text(&["status", "errorMessage"]).is_empty());
    let count = failed.count();
    (count > 0)
        .then(|| ("FailedReplacement", format!("Observed {count} replacement machine(s) in error state")))
}

/// Says in the ClusterOperator what a set says of itself; an inactive or missing set has nothing to say.
pub(super) fn tell_operator(operator: &mut Object, status: Option<&Value>, version: &str, now: Moment) {
    let fine = [
        ("Available", true, "cluster operator is available"),
        ("Progressing", false, ""),
        ("Degraded", false, ""),
    ];
    let mut told: Vec<(String, String, String, String)> = match status {
        None => fine
            .iter()
            .map(|(kind, is_true, message)| {
                let status = if *is_true { "True" } else { "False" };
                ((*kind).to_owned(), status.to_owned(), "AsExpected".to_owned(), (*message).to_owned())
            })
            .collect(),
        Some(status) => {
            let conditions = status.list(&["conditions"]).iter();
            conditions
                .filter(|condition| fine.iter().any(|(kind, ..)| condition["type"] == *kind))
                .map(|condition| {
                    let text = |field: &str| condition.text(&[field]).to_owned();
                    (text("type"), text("status"), text("reason"), text("message"))
                })
                .collect()
        }
    };
    let is_available = told.iter().any(|(kind, status, ..)| kind == "Available" && status == "True");
    let (status, word) = if is_available { ("True", "upgradable") } else { ("False", "not upgradable") };
    let message = format!("cluster operator is {word}");
    told.push(("Upgradeable".to_owned(), status.to_owned(), "AsExpected".to_owned(), message));
    let mut list = operator.list(&["status", "conditions"]).to_vec();
    for (kind, status, reason, message) in told {
        let place = list.iter().position(|condition| condition["type"] == *kind);
        let before = place.and_then(|index| list.get(index));
        let since = before.filter(|condition| condition["status"] == *status);
        let since = since.map(|condition| condition.text(&["lastTransitionTime"]).to_owned());
        let mut condition = json!({
            "type": kind, "status": status,
            "lastTransitionTime": since.unwrap_or_else(|| now.to_string()),
        });
        for (field, text) in [("reason", reason), ("message", message)] {
            if !text.is_empty() {
                condition.set(&[field], text);
            }
        }
        match place.and_then(|index| list.get_mut(index)) {
            Some(place) => *place = condition,
            None => list.push(condition),
        }
    }
    operator.set(&["status", "conditions"], list);
    operator.set(&["status", "versions"], json!([{"name": "operator", "version": version}]));
    operator.set(
        &["status", "relatedObjects"],
        json!([
            {"group": "", "resource": "namespaces", "name": crate::machines::NAMESPACE},
            {"group": "machine.openshift.io", "resource": "controlplanemachinesets", "name": ""},
            {"group": "machine.openshift.io", "resource": "machines", "name": ""},
        ]),
    );
}
