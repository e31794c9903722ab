//! What runs on the cluster of a recording: the controllers, and what stands around them.

use std::sync::atomic::{AtomicU32, Ordering};

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Denial, Mutator};
use fbc_cluster::controllers::budgets::DisruptionBudgets;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::kind::Kind;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::Moment;
use fbc_openshift::{machine_config, machines};
use serde_json::json;

use super::Suite;
use super::case::Case;

/// The definition of a kind of which nothing is checked.
pub(super) fn definition_of(kind: &str) -> Object {
    let plural = format!("{}s", kind.to_lowercase());
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.remediation.example.com")},
        "spec": {
            "group": "remediation.example.com", "scope": "Namespaced",
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": any}}],
        },
    })
}

/// The controllers of a suite, and what stands around them.
pub(super) fn controllers(case: &Case) -> Vec<Box<dyn Controller>> {
    match case.suite {
        Suite::MachineConfig => vec![
            Box::new(machine_config::control_plane_nodes::ControlPlaneNodes::new()),
            Box::new(machine_config::node_controller::NodeController::new()),
            Box::new(machine_config::drain_controller::DrainController::new()),
            Box::new(DisruptionBudgets::default()),
        ],
        Suite::Machines | Suite::RealMachines => {
            let provider = machines::provider::Provider::shared(Vec::new());
            vec![
                Box::new(machines::drain_controller::DrainController::new(false)),
                Box::new(machines::machine_controller::MachineController::new(provider.clone())),
                Box::new(machines::machine_set::MachineSets::new()),
                Box::new(machines::health_checks::HealthChecks::new()),
                Box::new(machines::node_link::NodeLink::new()),
                Box::new(machines::provider::Instances::new(provider.clone())),
                Box::new(PodEnds { provider }),
                Box::new(DisruptionBudgets::default()),
            ]
        }
        Suite::ControlPlane => {
            vec![Box::new(machines::control_plane::ControlPlaneMachineSets::new(OPERATOR_VERSION, 1))]
        }
    }
}

/// The kubelets of a recording, as far as pods end there.
struct PodEnds {
    provider: machines::provider::SharedProvider,
}

impl Controller for PodEnds {
    fn name(&self) -> &'static str {
        "pod-ends"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Pod")]
    }

    fn requests(&mut self, change: &Change, _: (&str, &str), _: &ApiServer, requests: &mut Vec<ObjectName>) {
        requests.extend(change.after.is_some().then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let (Some(id), Some(pod)) = (api.kind_id("", "Pod"), api.find("", "Pod", request)) else {
            return Outcome::Done;
        };
        let is_stuck = pod.annotation("fake/stuck").is_some()
            || self.provider.borrow().is_stopped(pod.text(&["spec", "nodeName"]));
        let Some(end) = Moment::parse(pod.text(&["metadata", "deletionTimestamp"])).filter(|_| !is_stuck)
        else {
            return Outcome::Done;
        };
        if api.now() < end {
            return Outcome::After(end.since(api.now()));
        }
        let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
        // A pod that is gone already needs no deletion.
        let _ = api.delete(&Caller::administrator("kubelet"), id, request, &options);
        Outcome::Done
    }
}

/// The version that recordings were made with.
const OPERATOR_VERSION: &str = "4.99.0";

/// Gives objects with generated names the endings that the recordings number.
#[derive(Default)]
pub(super) struct NumberedNames {
    last: AtomicU32,
}

impl Mutator for NumberedNames {
    fn mutate(&self, _: &Kind, object: &mut Object) -> Result<(), Denial> {
        let prefix = object.text(&["metadata", "generateName"]).to_owned();
        if object.name().is_empty() && !prefix.is_empty() {
            object.set(&["metadata", "name"], format!("{prefix}r{:02}", self.next()));
        }
        if object.kind() == "Machine"
            && let Some(numbered) = self.numbered_within(object.name())
        {
            object.set(&["metadata", "name"], numbered);
        }
        Ok(())
    }

    fn name(&self) -> &str {
        "numbered-names"
    }
}

impl NumberedNames {
    /// The next number, from 1.
    fn next(&self) -> u32 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// `PREFIX-XXXXX-INDEX`, as machines of the control plane are named, with a number in the place of what is random.
    fn numbered_within(&self, name: &str) -> Option<String> {
        let (front, index) = name.rsplit_once('-')?;
        let (prefix, random) = front.rsplit_once('-')?;
        let is_index = index.bytes().all(|byte| byte.is_ascii_digit());
        if !is_index || random.len() != 5 {
            return None;
        }
        Some(format!("{prefix}-r{:02}-{index}", self.next()))
    }
}
