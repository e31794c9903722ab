//! Nodes: new ones say that they are ready, and the taint that keeps pods away follows from what they say.
//!
//! Every node of a simulated cluster has a kubelet that works, so a node without the condition gets it at once. Source
//! of the taint: `kubernetes/kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go`
//! (`doNoScheduleTaintingPass`).

use std::sync::Arc;

use serde_json::{Value, json};

use super::write::{outcome, set_condition, update, update_status};
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;

const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// Keeps the condition `Ready` and its taint.
#[derive(Debug, Default)]
pub struct Nodes;

impl Controller for Nodes {
    fn name(&self) -> &'static str {
        "node-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if change.after.is_some() {
            requests.push(change.key.name.clone());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(node) = api.find("", "Node", request).cloned() else { return Outcome::Done };
        outcome(keep(api, &node))
    }
}

fn keep(api: &mut ApiServer, node: &Arc<Object>) -> Result<Arc<Object>, ApiError> {
    if node.condition("Ready").is_none() {
        let mut conditions = node.list(&["status", "conditions"]).to_vec();
        set_condition(
            &mut conditions,
            api.now(),
            "Ready",
            "True",
            "KubeletReady",
            "kubelet is posting ready status",
        );
        let mut status = node.get("status").cloned().unwrap_or_default();
        status.set(&["conditions"], conditions);
        return update_status(api, node, status);
    }
    let is_ours =
        |taint: &Value| taint.text(&["key"]) == NOT_READY && taint.text(&["effect"]) == "NoSchedule";
    let taints = node.list(&["spec", "taints"]);
    let wanted = node.condition_status("Ready") == "False";
    if taints.iter().any(is_ours) == wanted {
        return Ok(Arc::clone(node));
    }
    let mut taints: Vec<Value> = taints.iter().filter(|taint| !is_ours(taint)).cloned().collect();
    if wanted {
        taints.push(json!({"key": NOT_READY, "effect": "NoSchedule"}));
    }
    let mut object = Object::clone(node);
    object.set(&["spec", "taints"], taints);
    update(api, object)
}
