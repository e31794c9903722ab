//! Makes a control plane machine set anew after it was deleted: inactive, from the newest machine of the control plane.
//!
//! The real program makes one wherever there is none, on platforms that it knows by the Infrastructure object. A simulated
//! cluster has no such object, so that only a set that was there once comes back, on the platform of its failure domains.
//!
//! Source: `openshift/cluster-control-plane-machine-set-operator:pkg/controllers/controlplanemachinesetgenerator`.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

use super::failure_domains::taken_out;
use super::{GROUP, NAME, NAMESPACE, TEMPLATE, is_control_plane_machine};
use crate::writer::Writer;

const CLUSTER: &str = "machine.openshift.io/cluster-api-cluster";
const ROLE: &str = "machine.openshift.io/cluster-api-machine-role";
const TYPE: &str = "machine.openshift.io/cluster-api-machine-type";
/// The generator always wants so many machines.
const REPLICAS: u32 = 3;

/// Makes the set anew.
pub struct ControlPlaneMachineSetGenerator {
    writer: Writer,
    /// The set as it was last.
    last: Option<Arc<Object>>,
}

impl ControlPlaneMachineSetGenerator {
    /// A generator that has seen no set.
    pub fn new() -> Self {
        Self { writer: Writer::new("controlplanemachinesetgenerator"), last: None }
    }
}

impl Default for ControlPlaneMachineSetGenerator {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for ControlPlaneMachineSetGenerator {
    fn name(&self) -> &'static str {
        "controlplanemachinesetgenerator"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "ControlPlaneMachineSet")]
    }

    fn requests(&mut self, change: &Change, _: (&str, &str), _: &ApiServer, requests: &mut Vec<ObjectName>) {
        let Some(set) = change.after.as_ref().or(change.before.as_ref()) else { return };
        if set.name() == NAME && set.namespace() == NAMESPACE {
            self.last = Some(set.clone());
            requests.extend(change.after.is_none().then(|| set.object_name()));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if api.find(GROUP, "ControlPlaneMachineSet", request).is_some() {
            return Outcome::Done;
        }
        let machines: Vec<Arc<Object>> = api
            .all(GROUP, "Machine")
            .filter(|machine| machine.namespace() == NAMESPACE && is_control_plane_machine(machine))
            .cloned()
            .collect();
        let Some(set) = self.last.as_ref().and_then(|last| generated(last, machines)) else {
            return Outcome::Done;
        };
        match self.writer.create(api, set) {
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(format!(
                "error reconciling control plane machine set: unable to create control plane machine set: {}",
                error.message
            )),
        }
    }
}

/// The set for these machines; none for the single machine of a small cluster.
fn generated(last: &Object, mut machines: Vec<Arc<Object>>) -> Option<Object> {
    if machines.len() < 2 {
        return None;
    }
    let age = |machine: &Object| {
        (machine.text(&["metadata", "creationTimestamp"]).to_owned(), machine.name().to_owned())
    };
    machines.sort_by_key(|machine| std::cmp::Reverse(age(machine)));
    let newest = machines.first()?;
    let mut specification = newest.at(&["spec", "providerSpec", "value"]).cloned().unwrap_or(Value::Null);
    let platform = last.at(&TEMPLATE)?.text(&["failureDomains", "platform"]);
    let domains = taken_out(platform, &machines, &mut specification);
    let labels = json!({CLUSTER: newest.label(CLUSTER).unwrap_or_default(), ROLE: "master", TYPE: "master"});
    let mut template = json!({
        "metadata": {"labels": labels}, "spec": {"providerSpec": {"value": specification}},
    });
    if let Some(domains) = domains {
        template.set(&["failureDomains"], domains);
    }
    Some(json!({
        "apiVersion": "machine.openshift.io/v1", "kind": "ControlPlaneMachineSet",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "replicas": REPLICAS, "state": "Inactive", "strategy": {"type": "RollingUpdate"},
            "selector": {"matchLabels": labels},
            "template": {
                "machineType": "machines_v1beta1_machine_openshift_io",
                "machines_v1beta1_machine_openshift_io": template,
            },
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str, created: u32, zone: &str) -> Arc<Object> {
        Arc::new(json!({
            "metadata": {
                "name": name, "namespace": NAMESPACE,
                "creationTimestamp": format!("2026-01-01T00:00:{created:02}Z"),
                "labels": {CLUSTER: "c1", ROLE: "master", TYPE: "master"},
            },
            "spec": {"providerSpec": {"value": {
                "instanceType": format!("m{created}"), "placement": {"availabilityZone": zone, "tenancy": "default"},
            }}},
        }))
    }

    fn set(platform: Value) -> Object {
        json!({"spec": {"template": {"machines_v1beta1_machine_openshift_io": {"failureDomains": platform}}}})
    }

    #[test]
    fn the_newest_machine_is_the_template() {
        let machines = || {
            vec![
                machine("c1-master-0", 1, "b"),
                machine("c1-master-1", 3, "a"),
                machine("c1-master-2", 2, "b"),
            ]
        };
        let made = generated(&set(json!({"platform": "AWS"})), machines()).unwrap();
        assert_eq!(made.text(&["spec", "state"]), "Inactive");
        assert_eq!(made.text(&["spec", "selector", "matchLabels", CLUSTER]), "c1");
        let template = made.at(&TEMPLATE).unwrap();
        let domain = |zone: &str| json!({"placement": {"availabilityZone": zone}});
        assert_eq!(template["failureDomains"], json!({"platform": "AWS", "aws": [domain("a"), domain("b")]}));
        let specification = json!({"instanceType": "m3", "placement": {"tenancy": "default"}});
        assert_eq!(template["spec"]["providerSpec"]["value"], specification);

        let made = generated(&set(Value::Null), machines()).unwrap();
        let template = made.at(&TEMPLATE).unwrap();
        assert_eq!(template.get("failureDomains"), None);
        assert_eq!(template["spec"]["providerSpec"]["value"]["placement"]["availabilityZone"], "a");
        assert_eq!(generated(&set(Value::Null), vec![machine("c1-master-0", 1, "a")]), None);
    }
}
