//! What kubelets say of their nodes.
//!
//! Annotations of a `Node` tell what its machine is like, so that scenarios and controllers that play providers reach
//! it through the API server:
//!
//! | annotation | value |
//! |---|---|
//! | [`KUBELET`] | `stopped`: the node says nothing, and nothing happens to its pods; `heartbeats`: nothing but these |
//! | [`CAPACITY`] | what there is for pods: `cpu=8,memory=32Gi,pods=250` |

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::write::update_status_as;
use super::pressure::{Pressures, RESOURCES as WATCHED};
use crate::api::{ApiServer, Caller, Subresource, WriteOptions};
use crate::error::ApiError;
use crate::kubernetes_version::KubernetesVersion;
use crate::object::{Object, ObjectFields, ObjectName};

/// The annotation of nodes that says what the kubelet does.
pub const KUBELET: &str = "fbc.dev/kubelet";
/// The annotation of nodes with what there is for pods.
pub const CAPACITY: &str = "fbc.dev/capacity";

/// What a node has that says nothing else.
const RESOURCES: [(&str, &str); 4] =
    [("cpu", "4"), ("ephemeral-storage", "100Gi"), ("memory", "8Gi"), ("pods", "110")];

/// Type, status, reason and message of the conditions of a node that is well.
const WELL: [(&str, &str, &str, &str); 4] = [
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
];

/// The kubelet of one node.
#[derive(Debug, Default)]
pub(super) struct NodeAgent {
    pub(super) is_stopped: bool,
    pub(super) pressures: Pressures,
    /// What the kubelet said last of each condition, to be said again after a silence.
    said: BTreeMap<String, Value>,
    /// Shortages that were told.
    told: BTreeSet<&'static str>,
}

/// True if the kubelet of a node does nothing.
pub(super) fn is_stopped(node: &Object) -> bool {
    node.annotation(KUBELET) == Some("stopped")
}

/// The labels that a kubelet gives its node and that are missing, whoever made the node.
///
/// Source: `kubernetes/kubernetes:pkg/kubelet/kubelet_node_status.go` (`updateDefaultLabels`).
fn own_labels(node: &Object) -> Vec<(&'static str, String)> {
    let labels = [
        ("kubernetes.io/arch", "amd64"),
        ("kubernetes.io/hostname", node.name()),
        ("kubernetes.io/os", "linux"),
    ];
    let missing = labels.into_iter().filter(|(label, _)| node.label(label).is_none());
    missing.map(|(label, value)| (label, value.to_owned())).collect()
}

impl NodeAgent {
    /// Notes what was said of the conditions of a node, unless it was said in place of the kubelet.
    pub(super) fn listen(&mut self, node: &Object) {
        for condition in node.list(&["status", "conditions"]) {
            let in_place = ["NodeStatusUnknown", "NodeStatusNeverUpdated"];
            if !in_place.contains(&condition.text(&["reason"])) {
                self.said.insert(condition.text(&["type"]).to_owned(), condition.clone());
            }
        }
    }

    /// Sends heartbeats and the status as the kubelet of this node does.
    pub(super) fn report(&self, api: &mut ApiServer, name: &ObjectName) -> Result<(), ApiError> {
        let now = api.now();
        let Some(node) = api.find("", "Node", name).cloned() else { return Ok(()) };
        if is_stopped(&node) {
            api.heartbeats_mut().stop(&name.name, now);
            return Ok(());
        }
        api.heartbeats_mut().start(&name.name, now);
        if node.annotation(KUBELET).is_some() {
            return Ok(());
        }
        let mut object = Object::clone(&node);
        self.set_conditions(&mut object, &now.to_string());
        for part in ["capacity", "allocatable"] {
            if object.at(&["status", part]).is_none() {
                object.set(&["status", part], resources(&node));
            }
        }
        if object.text(&["status", "nodeInfo", "kubeletVersion"]).is_empty() {
            object.set(&["status", "nodeInfo"], info(&node, api.kubernetes()));
        }
        let caller = Caller::administrator("kubelet");
        let options = WriteOptions::default();
        if object != *node {
            api.update(&caller, object, Subresource::Status, options)?;
        }
        let Some(node) = api.find("", "Node", name) else { return Ok(()) };
        let labels = own_labels(node);
        if labels.is_empty() {
            return Ok(());
        }
        let mut object = Object::clone(node);
        for (label, value) in labels {
            object.set(&["metadata", "labels", label], value);
        }
        api.update(&caller, object, Subresource::None, options).map(drop)
    }

    /// Says which shortages there are, and that those are over which were told before.
    pub(super) fn tell_pressures(
        &mut self,
        api: &mut ApiServer,
        node: &Arc<Object>,
        present: &[&'static str],
    ) -> Result<(), ApiError> {
        let now = api.now().to_string();
        let mut conditions = node.list(&["status", "conditions"]).to_vec();
        for resource in WATCHED {
            let is_short = present.contains(&resource.condition);
            if is_short == self.told.contains(resource.condition) {
                continue;
            }
            let (status, (reason, message)) =
                if is_short { ("True", resource.short) } else { ("False", resource.enough) };
            conditions.retain(|condition| condition["type"] != resource.condition);
            conditions.push(json!({
                "type": resource.condition, "status": status, "reason": reason, "message": message,
                "lastHeartbeatTime": now, "lastTransitionTime": now,
            }));
            if is_short {
                self.told.insert(resource.condition);
            } else {
                self.told.remove(resource.condition);
            }
        }
        let mut status = node.get("status").cloned().unwrap_or_default();
        status.set(&["conditions"], conditions);
        update_status_as(&Caller::administrator("kubelet"), api, node, status).map(drop)
    }

    fn set_conditions(&self, node: &mut Object, now: &str) {
        let is_new = node.condition("Ready").is_none();
        let mut conditions = node.list(&["status", "conditions"]).to_vec();
        for condition in &mut conditions {
            let in_place = condition["reason"] == "NodeStatusUnknown";
            let said = self.said.get(condition.text(&["type"])).filter(|_| in_place).cloned();
            if let Some(mut said) = said {
                said.set(&["lastTransitionTime"], now);
                *condition = said;
            }
        }
        for (name, status, reason, message) in WELL {
            let present = conditions.iter_mut().find(|condition| condition["type"] == name);
            let never_said = |condition: &Value| condition["reason"] == "NodeStatusNeverUpdated";
            let well = json!({
                "type": name, "status": status, "reason": reason, "message": message,
                "lastHeartbeatTime": now, "lastTransitionTime": now,
            });
            match present {
                Some(condition) if never_said(condition) => *condition = well,
                None if is_new => conditions.push(well),
                _ => {}
            }
        }
        node.set(&["status", "conditions"], conditions);
    }
}

/// What there is for pods on a node.
fn resources(node: &Object) -> Value {
    let mut resources = json!({});
    for (name, amount) in RESOURCES {
        resources.set(&[name], amount);
    }
    let given = node.annotation(CAPACITY).unwrap_or_default().split(',');
    for (name, amount) in given.filter_map(|pair| pair.split_once('=')) {
        resources.set(&[name.trim()], amount.trim());
    }
    resources
}

fn info(node: &Object, version: KubernetesVersion) -> Value {
    let label = |key: &str, default: &str| node.label(key).unwrap_or(default).to_owned();
    json!({
        "kubeletVersion": version.to_string(), "kubeProxyVersion": "",
        "containerRuntimeVersion": version.container_runtime(),
        "operatingSystem": label("kubernetes.io/os", "linux"), "architecture": label("kubernetes.io/arch", "amd64"),
        "osImage": "Simulated Linux", "kernelVersion": "6.12.0", "machineID": node.uid(),
        "systemUUID": node.uid(), "bootID": node.uid(),
    })
}
