//! Status and conditions of deployments.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Sync;
use super::replica_sets::Sets;
use super::spec::{REVISION, count, deadline, may_lack, wanted};
use crate::api::{Subresource, WriteOptions};
use crate::controllers::write::manager;
use crate::engine::Outcome;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};
use crate::time::{Moment, SECOND};

/// The rollout stood still for too long.
pub(super) const TIMED_OUT: &str = "ProgressDeadlineExceeded";
/// Somebody paused the rollout.
pub(super) const PAUSED: &str = "DeploymentPaused";
/// The rollout is over.
const AVAILABLE: &str = "NewReplicaSetAvailable";

impl Sync<'_> {
    /// Writes the numbers, and how the rollout goes.
    pub(super) fn write_progress(&mut self, sets: &Sets) -> Result<Outcome, ApiError> {
        let mut status = self.counted(sets);
        let now = self.api.now();
        let present = self.deployment.condition("Progressing").cloned();
        let has_reason = |reason: &str| present.as_ref().is_some_and(|one| one["reason"] == reason);
        let is_over = status["replicas"].as_i64().unwrap_or_default()
            == status["updatedReplicas"].as_i64().unwrap_or_default()
            && has_reason(AVAILABLE);
        if deadline(&self.deployment).is_none() {
            drop_condition(&mut status, "Progressing");
        } else if !is_over {
            let what = match &sets.new {
                Some(set) => format!("ReplicaSet {:?}", set.name()),
                None => format!("Deployment {:?}", self.deployment.name()),
            };
            let put = |status: &mut Value, value: &str, reason: &str, text: String| {
                self.put_condition(status, "Progressing", value, reason, &text);
            };
            if self.is_complete(&status) {
                put(&mut status, "True", AVAILABLE, format!("{what} has successfully progressed."));
            } else if made_progress(&self.deployment["status"], &status) {
                // Every bit of progress begins the deadline anew, so that the condition is written again.
                let since = present.as_ref().filter(|one| one["status"] == "True");
                let since = since.map(|one| one["lastTransitionTime"].clone());
                drop_condition(&mut status, "Progressing");
                put(&mut status, "True", "ReplicaSetUpdated", format!("{what} is progressing."));
                if let (Some(since), Some(condition)) =
                    (since, status["conditions"].as_array_mut().and_then(|list| list.last_mut()))
                {
                    condition.set(&["lastTransitionTime"], since);
                }
            } else if self.is_due(&status, now) {
                put(&mut status, "False", TIMED_OUT, format!("{what} has timed out progressing."));
            }
        }
        match failure(sets) {
            Some(failure) => {
                let (status_text, reason, text) =
                    (failure.text(&["status"]), failure.text(&["reason"]), failure.text(&["message"]));
                self.put_condition(&mut status, "ReplicaFailure", status_text, reason, text);
            }
            None => drop_condition(&mut status, "ReplicaFailure"),
        }
        let next = self.deadline_ends(&status);
        self.put_status(status)?;
        Ok(next.map_or(Outcome::Done, |next| Outcome::After(next.since(now).max(1))))
    }

    /// Writes the numbers alone.
    pub(super) fn write_status(&mut self, sets: &Sets) -> Result<(), ApiError> {
        let status = self.counted(sets);
        self.put_status(status)
    }

    /// Writes the condition `Progressing`.
    pub(super) fn set_progressing(&mut self, value: &str, reason: &str, text: &str) -> Result<(), ApiError> {
        let mut status = self.deployment.get("status").cloned().unwrap_or_else(|| json!({}));
        self.put_condition(&mut status, "Progressing", value, reason, text);
        self.put_status(status)
    }

    /// Writes the number of the revision along with a status.
    pub(super) fn write_revision(&mut self, number: &str, status: Value) -> Result<(), ApiError> {
        let mut object = Object::clone(&self.deployment);
        object.set(&["metadata", "annotations", REVISION], number);
        object.set(&["status"], status);
        self.put(object)
    }

    /// Writes a status, unless it is there already.
    pub(super) fn put_status(&mut self, status: Value) -> Result<(), ApiError> {
        let mut object = Object::clone(&self.deployment);
        object.set(&["status"], status);
        self.put(object)
    }

    fn put(&mut self, object: Object) -> Result<(), ApiError> {
        let has_status = self.deployment.get("status").is_some();
        if object == *self.deployment || !has_status && object["status"] == json!({}) {
            return Ok(());
        }
        self.deployment =
            self.api.update(&manager(), object, Subresource::Status, WriteOptions::default())?;
        Ok(())
    }

    /// The numbers of a status, and whether enough pods are available.
    fn counted(&self, sets: &Sets) -> Value {
        let available = sets.sum("availableReplicas");
        let updated = sets.new.as_ref().map_or(0, |set| count(set, "replicas"));
        let mut status = Map::new();
        for (field, number) in [
            ("observedGeneration", self.deployment.generation()),
            ("replicas", sets.sum("replicas")),
            ("updatedReplicas", updated),
            ("readyReplicas", sets.sum("readyReplicas")),
            ("availableReplicas", available),
            ("unavailableReplicas", (sets.total() - available).max(0)),
        ] {
            if number != 0 {
                status.insert(field.into(), number.into());
            }
        }
        status.insert("terminatingReplicas".into(), sets.sum("terminatingReplicas").into());
        for field in ["collisionCount", "conditions"] {
            if let Some(value) = self.deployment.at(&["status", field]) {
                status.insert(field.into(), value.clone());
            }
        }
        let mut status = Value::Object(status);
        let (value, reason, text) = if available >= wanted(&self.deployment) - may_lack(&self.deployment) {
            ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
        } else {
            ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        };
        self.put_condition(&mut status, "Available", value, reason, text);
        status
    }

    /// True if a status says that every pod is new and available.
    pub(super) fn is_complete(&self, status: &Value) -> bool {
        let number = |field: &str| status[field].as_i64().unwrap_or_default();
        ["updatedReplicas", "replicas", "availableReplicas"]
            .iter()
            .all(|field| number(field) == wanted(&self.deployment))
            && number("observedGeneration") >= self.deployment.generation()
    }

    /// Puts a condition at the end, as deployments do, unless it says the same already.
    pub(super) fn put_condition(
        &self,
        status: &mut Value,
        condition_type: &str,
        value: &str,
        reason: &str,
        message: &str,
    ) {
        let present = status.list(&["conditions"]).iter().find(|one| one["type"] == condition_type).cloned();
        if present.as_ref().is_some_and(|one| one["status"] == value && one["reason"] == reason) {
            return;
        }
        let now = self.api.now().to_string();
        let since = present.filter(|one| one["status"] == value);
        let since = since.map_or_else(|| now.clone(), |one| one.text(&["lastTransitionTime"]).to_owned());
        let mut conditions: Vec<Value> = status.list(&["conditions"]).to_vec();
        conditions.retain(|one| one["type"] != condition_type);
        conditions.push(json!({
            "type": condition_type, "status": value, "reason": reason, "message": message,
            "lastTransitionTime": since, "lastUpdateTime": now,
        }));
        status.set(&["conditions"], conditions);
    }

    /// When a rollout that goes on counts as standing still.
    fn deadline_ends(&self, status: &Value) -> Option<Moment> {
        let seconds = deadline(&self.deployment)?;
        let condition = status.list(&["conditions"]).iter().find(|one| one["type"] == "Progressing")?;
        let is_settled = [AVAILABLE, TIMED_OUT].contains(&condition.text(&["reason"]));
        if is_settled || self.is_complete(status) || condition["reason"] == PAUSED {
            return None;
        }
        let since = Moment::parse(condition.text(&["lastUpdateTime"]))?;
        Some(since + seconds * SECOND + 1)
    }

    fn is_due(&self, status: &Value, now: Moment) -> bool {
        let reason = self.deployment.condition("Progressing").map(|one| one.text(&["reason"]).to_owned());
        reason.as_deref() == Some(TIMED_OUT) || self.deadline_ends(status).is_some_and(|end| end <= now)
    }
}

fn made_progress(before: &Value, after: &Value) -> bool {
    let number = |status: &Value, field: &str| status[field].as_i64().unwrap_or_default();
    let old = |status: &Value| number(status, "replicas") - number(status, "updatedReplicas");
    let grew = |field: &str| number(after, field) > number(before, field);
    grew("updatedReplicas") || old(after) < old(before) || grew("readyReplicas") || grew("availableReplicas")
}

fn drop_condition(status: &mut Value, condition_type: &str) {
    let mut conditions = status.list(&["conditions"]).to_vec();
    conditions.retain(|one| one["type"] != condition_type);
    status.set(&["conditions"], conditions);
}

/// What keeps a replica set from making pods; that of the new one counts most.
fn failure(sets: &Sets) -> Option<Value> {
    let of = |set: &Arc<Object>| set.condition("ReplicaFailure").cloned();
    sets.new.as_ref().and_then(of).or_else(|| sets.all().find_map(of))
}
