//! A stand-in for everything that runs deployments: it writes their status, and makes no pods.

use serde_json::{Value, json};

use super::write::{outcome, set_condition, update_status};
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::object::{ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::Milliseconds;

/// How long the stand-in takes.
const DELAY: Milliseconds = 250;

/// What the stand-in says of every deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answer {
    /// All replicas are there.
    #[default]
    Available,
    /// None is ready yet.
    Pending,
}

/// Writes the status of deployments.
#[derive(Debug, Default)]
pub struct DeploymentStandIn {
    answer: Answer,
}

impl DeploymentStandIn {
    /// A stand-in with this answer.
    pub fn new(answer: Answer) -> Self {
        Self { answer }
    }

    /// Changes the answer. Deployments hear of it when they change or are poked.
    pub fn set_answer(&mut self, answer: Answer) {
        self.answer = answer;
    }
}

impl Controller for DeploymentStandIn {
    fn name(&self) -> &'static str {
        "deployment-stand-in"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("apps", "Deployment")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.extend(change.after.is_some().then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(deployment) = api.find("apps", "Deployment", request).cloned() else { return Outcome::Done };
        let replicas = deployment.number(&["spec", "replicas"]).unwrap_or(1);
        let mut conditions = deployment.list(&["status", "conditions"]).to_vec();
        let mut status = json!({
            "observedGeneration": deployment.generation(), "replicas": replicas, "updatedReplicas": replicas,
        });
        let (value, reason, message) = match self.answer {
            Answer::Available => {
                status.set(&["readyReplicas"], replicas);
                status.set(&["availableReplicas"], replicas);
                ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
            }
            Answer::Pending => {
                status.set(&["unavailableReplicas"], replicas);
                ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
            }
        };
        set_condition(&mut conditions, api.now(), "Available", value, reason, message);
        status.set(&["conditions"], conditions);
        let same = |one: Option<&Value>| one == Some(&status);
        if same(deployment.get("status")) {
            return Outcome::Done;
        }
        // A new deployment is answered a little later, as by something that has work to do.
        let made = crate::time::Moment::parse(deployment.text(&["metadata", "creationTimestamp"]));
        let age = made.map_or(DELAY, |made| api.now().since(made));
        if deployment.at(&["status", "observedGeneration"]).is_none() && age < DELAY {
            return Outcome::After(DELAY - age);
        }
        outcome(update_status(api, &deployment, status))
    }
}
