//! How controllers write.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::api::{ApiServer, Caller, Subresource, WriteOptions};
use crate::engine::Outcome;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};
use crate::time::Moment;

/// Who the controllers of the control plane are for the API server.
pub(super) fn manager() -> Caller {
    Caller::administrator("kube-controller-manager")
}

/// Creates an object as the control plane.
pub(super) fn create(api: &mut ApiServer, object: Object) -> Result<Arc<Object>, ApiError> {
    api.create(&manager(), object, WriteOptions::default())
}

/// Writes everything but the status.
pub(super) fn update(api: &mut ApiServer, object: Object) -> Result<Arc<Object>, ApiError> {
    api.update(&manager(), object, Subresource::None, WriteOptions::default())
}

/// Writes a status, unless it is there already.
pub(super) fn update_status(
    api: &mut ApiServer,
    before: &Arc<Object>,
    status: Value,
) -> Result<Arc<Object>, ApiError> {
    update_status_as(&manager(), api, before, status)
}

/// As [`update_status`], by somebody else than the controllers of the control plane.
pub(crate) fn update_status_as(
    caller: &Caller,
    api: &mut ApiServer,
    before: &Arc<Object>,
    status: Value,
) -> Result<Arc<Object>, ApiError> {
    if before.get("status") == Some(&status) {
        return Ok(Arc::clone(before));
    }
    // What such a write cannot change need not be copied to be sent.
    let mut object = json!({"metadata": before["metadata"], "status": status});
    for field in ["apiVersion", "kind"] {
        object.set(&[field], before.text(&[field]));
    }
    api.update(caller, object, Subresource::Status, WriteOptions::default())
}

/// What a reconciliation came to whose last write gave this. What is gone or was made by somebody else in the
/// meantime is not a failure: the change that says so brings the controller back.
pub(crate) fn outcome<T>(result: Result<T, ApiError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(error) if error.is_not_found() => Outcome::Done,
        Err(error) => Outcome::Failed(error.message),
    }
}

/// Puts a condition in its place, or at the end. The time of the transition moves only if the status does.
pub(crate) fn set_condition(
    conditions: &mut Vec<Value>,
    now: Moment,
    condition_type: &str,
    status: &str,
    reason: &str,
    message: &str,
) {
    let present = conditions.iter().position(|condition| condition["type"] == condition_type);
    let since = present
        .and_then(|index| conditions.get(index))
        .filter(|condition| condition["status"] == status)
        .map(|condition| condition.text(&["lastTransitionTime"]).to_owned());
    let mut condition = json!({
        "type": condition_type, "status": status, "lastTransitionTime": since.unwrap_or_else(|| now.to_string()),
    });
    for (field, text) in [("reason", reason), ("message", message)] {
        if !text.is_empty() {
            condition.set(&[field], text);
        }
    }
    match present.and_then(|index| conditions.get_mut(index)) {
        Some(place) => *place = condition,
        None => conditions.push(condition),
    }
}

/// As [`set_condition`], of an object whose conditions say which generation they are about: type, status, reason,
/// message.
pub(crate) fn set_observed_condition(
    conditions: &mut Vec<Value>,
    now: Moment,
    generation: i64,
    (condition_type, status, reason, message): (&str, &str, &str, &str),
) {
    set_condition(conditions, now, condition_type, status, reason, message);
    let written = conditions.iter_mut().find(|condition| condition["type"] == condition_type);
    if let Some(condition) = written.filter(|_| generation > 0) {
        condition.set(&["observedGeneration"], generation);
    }
}
