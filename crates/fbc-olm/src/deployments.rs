//! A stand-in for the controller of Deployments, as the recordings had one: within half a second it writes that a
//! Deployment is available, or that it is not.

use serde_json::json;

use fbc_cluster::api::{ApiServer, Caller, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Milliseconds;

/// How long the stand-in takes.
const DELAY: Milliseconds = 300;

/// The stand-in.
pub struct Deployments {
    /// Whether Deployments become available.
    pub are_available: bool,
    caller: Caller,
    /// Deployments that wait for their answer.
    due: std::collections::BTreeMap<ObjectName, fbc_cluster::time::Moment>,
}

impl Deployments {
    /// A stand-in that makes every Deployment available.
    pub fn new() -> Self {
        Self {
            are_available: true,
            caller: Caller::administrator("stand-in"),
            due: std::collections::BTreeMap::new(),
        }
    }
}

impl Default for Deployments {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for Deployments {
    fn name(&self) -> &'static str {
        "deployments"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("apps", "Deployment")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(before) = api.find("apps", "Deployment", request).cloned() else {
            self.due.remove(request);
            return Outcome::Done;
        };
        let replicas = before.number(&["spec", "replicas"]).unwrap_or(1);
        let ready = if self.are_available { replicas } else { 0 };
        let status = if self.are_available { "True" } else { "False" };
        let mut after = Object::clone(&before);
        let since =
            before.condition("Available").filter(|condition| condition["status"] == status).map_or_else(
                || api.now().to_string(),
                |condition| condition.text(&["lastTransitionTime"]).to_owned(),
            );
        after.set(
            &["status"],
            json!({
                "observedGeneration": before.generation(),
                "replicas": replicas,
                "updatedReplicas": replicas,
                "conditions": [{
                    "type": "Available", "status": status, "reason": "StandIn", "message": "",
                    "lastTransitionTime": since, "lastUpdateTime": since,
                }],
            }),
        );
        if ready > 0 {
            after.set(&["status", "readyReplicas"], ready);
            after.set(&["status", "availableReplicas"], ready);
        }
        if after["status"] == before["status"] {
            self.due.remove(request);
            return Outcome::Done;
        }
        let due = *self.due.entry(request.clone()).or_insert(api.now() + DELAY);
        if api.now() < due {
            return Outcome::After(due.since(api.now()));
        }
        self.due.remove(request);
        match api.update(&self.caller, after, Subresource::Status, WriteOptions::default()) {
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}
