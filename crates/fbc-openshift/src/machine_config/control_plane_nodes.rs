//! Labels and taints of control-plane nodes, and the events that tell of their updates.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/node/node_controller.go` (MC-20, MC-30).

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

use super::annotation::{CURRENT_CONFIG, CURRENT_IMAGE, DESIRED_CONFIG, DESIRED_IMAGE, REASON, STATE};
use super::{GROUP, MASTER, membership, node_state};
use crate::writer::{Writer, outcome};

const MASTER_LABEL: &str = "node-role.kubernetes.io/master";
const CONTROL_PLANE_LABEL: &str = "node-role.kubernetes.io/control-plane";
const WORKER_LABEL: &str = "node-role.kubernetes.io/worker";

/// Keeps labels and taints of the control plane.
pub struct ControlPlaneNodes {
    writer: Writer,
    recorder: Recorder,
    /// What is to be told of nodes.
    news: BTreeMap<ObjectName, Vec<String>>,
}

impl ControlPlaneNodes {
    /// The controller as a cluster runs it.
    pub fn new() -> Self {
        Self {
            writer: Writer::new("machineconfigcontroller-nodecontroller"),
            recorder: Recorder::new("machineconfigcontroller-nodecontroller"),
            news: BTreeMap::new(),
        }
    }
}

impl Default for ControlPlaneNodes {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for ControlPlaneNodes {
    fn name(&self) -> &'static str {
        "machine-config-control-plane-nodes"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node"), ("config.openshift.io", "Scheduler")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let is_master = |node: &Object| node.label(MASTER_LABEL).is_some();
        if kind.1 == "Scheduler" {
            requests
                .extend(api.all("", "Node").filter(|node| is_master(node)).map(|node| node.object_name()));
            return;
        }
        let Some(node) = change.after.as_deref().filter(|node| is_master(node)) else { return };
        if let Some(before) = &change.before {
            self.news.entry(node.object_name()).or_default().extend(news(before, node));
        }
        requests.push(node.object_name());
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(node) = api.find("", "Node", request).cloned() else { return Outcome::Done };
        let texts = self.news.remove(request).unwrap_or_default();
        let pools: Vec<Arc<Object>> = api.all(GROUP, "MachineConfigPool").cloned().collect();
        let pool = membership::pools_of(&node, &pools).ok().and_then(|pools| pools.first().copied());
        if let Some(pool) = pool.filter(|pool| pool.name() == MASTER) {
            for text in texts {
                self.recorder.normal(api, pool, "AnnotationChange", &text);
            }
        }
        let scheduler = api.find("config.openshift.io", "Scheduler", &ObjectName::cluster("cluster"));
        let schedulable =
            scheduler.map(|scheduler| scheduler.at(&["spec", "mastersSchedulable"]) == Some(&json!(true)));
        let mut after = Object::clone(&node);
        if after.label(CONTROL_PLANE_LABEL).is_none() {
            after.set(&["metadata", "labels", CONTROL_PLANE_LABEL], "");
        }
        if let Some(schedulable) = schedulable {
            set_schedulable(&mut after, schedulable);
        }
        outcome(self.writer.update(api, &node, after))
    }
}

/// What the annotations of a node say anew; the end of an update is told by its pool.
fn news(before: &Object, after: &Object) -> Vec<String> {
    const KEYS: [&str; 6] = [CURRENT_CONFIG, DESIRED_CONFIG, STATE, REASON, CURRENT_IMAGE, DESIRED_IMAGE];
    let completes =
        before.annotation(CURRENT_CONFIG) != before.annotation(DESIRED_CONFIG) && node_state::is_done(after);
    if !node_state::is_managed(after) || completes {
        return Vec::new();
    }
    let changed = KEYS.iter().filter(|key| before.annotation(key) != after.annotation(key));
    changed
        .map(|key| match after.annotation(key) {
            Some(value) => format!("Node {} now has {key}={value}", after.name()),
            None => format!("Node {} no longer has {key}", after.name()),
        })
        .collect()
}

fn set_schedulable(node: &mut Object, schedulable: bool) {
    let mut taints = node.list(&["spec", "taints"]).to_vec();
    let is =
        |taint: &Value, key: &str| taint.text(&["key"]) == key && taint.text(&["effect"]) == "NoSchedule";
    if schedulable {
        if node.label(WORKER_LABEL).is_none() {
            node.set(&["metadata", "labels", WORKER_LABEL], "");
        }
        taints.retain(|taint| !is(taint, MASTER_LABEL) && !is(taint, CONTROL_PLANE_LABEL));
    } else {
        node.remove(&["metadata", "labels", WORKER_LABEL]);
        if !taints.iter().any(|taint| is(taint, MASTER_LABEL)) {
            taints.push(json!({"key": MASTER_LABEL, "effect": "NoSchedule"}));
        }
    }
    if taints.is_empty() {
        node.remove(&["spec", "taints"]);
    } else {
        node.set(&["spec", "taints"], taints);
    }
}
