//! `status.conditions` as Kubernetes' own functions keep them.
//!
//! Source: `kubernetes/apimachinery:pkg/api/meta/conditions.go`.

use serde_json::{Value, json};

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;

/// A condition that is to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The type, which is its key.
    pub condition_type: &'static str,
    /// `True`, `False` or `Unknown`.
    pub status: &'static str,
    /// The reason.
    pub reason: String,
    /// The message.
    pub message: String,
}

impl Condition {
    /// A condition of these parts.
    pub fn new(
        condition_type: &'static str,
        status: &'static str,
        reason: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { condition_type, status, reason: reason.into(), message: message.into() }
    }
}

/// Sets a condition in `status.conditions` for the present generation. A new type is appended; an unchanged status
/// keeps the time of its last transition. True if anything changed.
pub fn set(object: &mut Object, condition: &Condition, now: Moment) -> bool {
    let mut value = json!({
        "type": condition.condition_type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
        "observedGeneration": object.generation(),
        "lastTransitionTime": now.to_string(),
    });
    set_value(object.place(&["status", "conditions"]), &mut value)
}

/// Sets a condition that is there as a value, in a list that may be missing.
pub fn set_value(conditions: &mut Value, condition: &mut Value) -> bool {
    if !conditions.is_array() {
        *conditions = Value::Array(Vec::new());
    }
    let Some(conditions) = conditions.as_array_mut() else { return false };
    let Some(present) = conditions.iter_mut().find(|present| present["type"] == condition["type"]) else {
        conditions.push(condition.clone());
        return true;
    };
    if present["status"] == condition["status"] {
        condition["lastTransitionTime"] = present["lastTransitionTime"].clone();
    }
    let is_changed = present != condition;
    *present = condition.clone();
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_transition_moves_with_the_status_only() {
        let mut object = json!({"metadata": {"generation": 3}});
        let at = |object: &Object| {
            object.condition("Ready").map(|one| one.text(&["lastTransitionTime"]).to_owned())
        };
        let (first, later) = (Moment::START, Moment(Moment::START.0 + 5000));
        assert!(set(&mut object, &Condition::new("Ready", "False", "A", "a"), first));
        assert!(!set(&mut object, &Condition::new("Ready", "False", "A", "a"), later));
        assert!(set(&mut object, &Condition::new("Ready", "False", "B", "b"), later));
        assert_eq!(at(&object), Some(first.to_string()));
        assert!(set(&mut object, &Condition::new("Ready", "True", "B", "b"), later));
        assert_eq!(at(&object), Some(later.to_string()));
        assert_eq!(object.condition("Ready").map(|one| one["observedGeneration"].clone()), Some(json!(3)));
    }
}
