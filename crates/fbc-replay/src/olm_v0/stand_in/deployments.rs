//! Half a second after a new generation a Deployment has a status.

use std::collections::BTreeMap;
use std::rc::Rc;

use fbc_cluster::api::{ApiServer, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::{DELAY, SharedModes, caller, mode};

pub(super) struct Deployments {
    modes: SharedModes,
    /// Deployments that wait for their status.
    due: BTreeMap<ObjectName, Moment>,
}

impl Deployments {
    pub(super) fn new(modes: &SharedModes) -> Self {
        Self { modes: Rc::clone(modes), due: BTreeMap::new() }
    }

    fn status(&self, deployment: &Object, now: Moment) -> Value {
        let modes = self.modes.borrow();
        let is_new = deployment.number(&["status", "observedGeneration"]).unwrap_or_default()
            < deployment.generation();
        let modes = if is_new || modes.spared.is_empty() { &modes.deployments } else { &modes.spared };
        let name = deployment.name();
        let mode = mode(modes, name, "available");
        let replicas = deployment.number(&["spec", "replicas"]).unwrap_or(1);
        let set = format!("ReplicaSet {name:?}");
        let available = match mode {
            "available" => {
                ("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
            }
            _ => (
                "Available",
                "False",
                "MinimumReplicasUnavailable",
                "Deployment does not have minimum availability.",
            ),
        };
        let text = match mode {
            "available" => format!("{set} has successfully progressed."),
            "deadline" => format!("{set} has timed out progressing."),
            _ => format!("{set} is progressing."),
        };
        let progressing = match mode {
            "available" => ("Progressing", "True", "NewReplicaSetAvailable", text.as_str()),
            "deadline" => ("Progressing", "False", "ProgressDeadlineExceeded", text.as_str()),
            _ => ("Progressing", "True", "ReplicaSetUpdated", text.as_str()),
        };
        let condition = |(of, status, reason, message): (&str, &str, &str, &str)| {
            let old = deployment.condition(of).filter(|old| {
                old["status"] == status && old["reason"] == reason && old["message"] == message
            });
            old.cloned().unwrap_or_else(|| {
                json!({
                    "type": of, "status": status, "reason": reason, "message": message,
                    "lastTransitionTime": now.to_string(), "lastUpdateTime": now.to_string(),
                })
            })
        };
        let mut status = json!({
            "observedGeneration": deployment.generation(), "replicas": replicas, "updatedReplicas": replicas,
            "conditions": [condition(available), condition(progressing)],
        });
        if mode == "available" {
            status["readyReplicas"] = replicas.into();
            status["availableReplicas"] = replicas.into();
        } else {
            status["unavailableReplicas"] = replicas.into();
        }
        status
    }
}

impl Controller for Deployments {
    fn name(&self) -> &'static str {
        "stand-in-deployments"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("apps", "Deployment")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(before) = api.find("apps", "Deployment", request).cloned() else {
            self.due.remove(request);
            return Outcome::Done;
        };
        let status = self.status(&before, api.now());
        if before.get("status") == Some(&status) {
            self.due.remove(request);
            return Outcome::Done;
        }
        let due = *self.due.entry(request.clone()).or_insert(api.now() + DELAY);
        if api.now() < due {
            return Outcome::After(due.since(api.now()));
        }
        self.due.remove(request);
        let mut after = Object::clone(&before);
        after["status"] = status;
        match api.update(&caller(), after, Subresource::Status, WriteOptions::default()) {
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}
