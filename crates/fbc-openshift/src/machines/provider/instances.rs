//! What instances do by themselves: their kubelets register nodes, which become ready.

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::{NodeStep, SharedProvider};
use crate::machines::GROUP;
use crate::writer::{Writer, outcome};

/// The kubelets of instances, as far as they make nodes.
pub struct Instances {
    provider: SharedProvider,
    writer: Writer,
}

impl Instances {
    /// The instances of a provider.
    pub fn new(provider: SharedProvider) -> Self {
        Self { provider, writer: Writer::new("kubelet") }
    }

    /// The provider.
    pub fn provider(&self) -> &SharedProvider {
        &self.provider
    }
}

impl Controller for Instances {
    fn name(&self) -> &'static str {
        "instances"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "Machine")]
    }

    fn requests(&mut self, change: &Change, _: (&str, &str), _: &ApiServer, requests: &mut Vec<ObjectName>) {
        requests.extend(change.after.is_some().then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(machine) = api.find(GROUP, "Machine", request).cloned() else { return Outcome::Done };
        let now = api.now();
        let mut provider = self.provider.borrow_mut();
        let settings = provider.settings(&machine);
        let Some(instance) = provider.instances.get_mut(request) else { return Outcome::Done };
        if instance.end.is_some() {
            return Outcome::Done;
        }
        let wait_until = |at: Moment| Outcome::After(at.since(now));
        match (instance.node, instance.created, settings.join, settings.ready) {
            (NodeStep::Starting, Some(created), Some(join), _) if now < created + join => {
                wait_until(created + join)
            }
            (NodeStep::Starting, Some(created), Some(join), ready) => {
                instance.node = NodeStep::Joined(created + join);
                let node = node(&machine, &instance.id(), &instance.address(), settings.role.as_deref(), api);
                drop(provider);
                let status = node["status"].clone();
                let created_node = self.writer.create(api, node);
                let result = created_node.and_then(|node| self.writer.update_status(api, &node, status));
                match (result, ready) {
                    (Ok(_), Some(ready)) => wait_until(created + join + ready),
                    (result, _) => outcome(result),
                }
            }
            (NodeStep::Joined(at), _, _, Some(ready)) if now < at + ready => wait_until(at + ready),
            (NodeStep::Joined(_), _, _, Some(_)) => {
                instance.node = NodeStep::Done;
                drop(provider);
                outcome(self.make_ready(api, &ObjectName::cluster(node_name(&machine))))
            }
            _ => Outcome::Done,
        }
    }
}

impl Instances {
    fn make_ready(&self, api: &mut ApiServer, node: &ObjectName) -> Result<(), ApiError> {
        let now = api.now();
        let change = |node: &mut Object| {
            let mut conditions = node.list(&["status", "conditions"]).to_vec();
            conditions.retain(|condition: &Value| condition["type"] != "Ready");
            conditions.push(ready_condition("True", "KubeletReady", now));
            node.set(&["status", "conditions"], conditions);
        };
        self.writer.change_status(api, "", "Node", node, change).map(drop)
    }
}

fn node_name(machine: &Object) -> String {
    format!("node-{}", machine.name())
}

fn ready_condition(status: &str, reason: &str, now: Moment) -> Value {
    json!({
        "type": "Ready", "status": status, "reason": reason,
        "lastTransitionTime": now.to_string(), "lastHeartbeatTime": now.to_string(),
    })
}

/// The Node that the kubelet of an instance registers.
fn node(machine: &Object, id: &str, address: &str, role: Option<&str>, api: &ApiServer) -> Object {
    let (now, version) = (api.now(), api.kubernetes());
    let name = node_name(machine);
    let role = role.or(machine.label("machine.openshift.io/cluster-api-machine-role")).unwrap_or("worker");
    let mut labels = json!({"kubernetes.io/hostname": name});
    labels.set(&[&format!("node-role.kubernetes.io/{role}")], "");
    let room = json!({"cpu": "4", "memory": "16Gi", "pods": "250"});
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"providerID": id},
        "status": {
            "addresses": [{"type": "InternalIP", "address": address}],
            "conditions": [ready_condition("False", "KubeletNotReady", now)],
            "capacity": room, "allocatable": room,
            "nodeInfo": {
                "kubeletVersion": version.to_string(), "containerRuntimeVersion": version.container_runtime(), "kernelVersion": "6.12.0",
                "osImage": "Simulated Linux", "operatingSystem": "linux", "architecture": "amd64",
            },
        },
    })
}
