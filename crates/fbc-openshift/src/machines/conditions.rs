//! Conditions of the Machine API: with a severity, sorted by type.
//!
//! Source: `openshift/machine-api-operator:pkg/util/conditions/setter.go` (MA-4).

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

/// What a condition says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition<'c> {
    pub(super) condition_type: &'c str,
    pub(super) status: &'c str,
    pub(super) severity: &'c str,
    pub(super) reason: &'c str,
    pub(super) message: &'c str,
}

impl<'c> Condition<'c> {
    /// All is well.
    pub(super) fn is_true(condition_type: &'c str) -> Self {
        Self { condition_type, status: "True", severity: "", reason: "", message: "" }
    }

    /// Something is missing or wrong.
    pub(super) fn warning(condition_type: &'c str, reason: &'c str, message: &'c str) -> Self {
        Self { condition_type, status: "False", severity: "Warning", reason, message }
    }

    /// Puts it into the status of an object. The time moves with anything that it says.
    pub(super) fn set(&self, object: &mut Object, now: Moment) {
        let mut conditions = object.list(&["status", "conditions"]).to_vec();
        let mut condition = json!({"type": self.condition_type, "status": self.status});
        for (field, text) in [("severity", self.severity), ("reason", self.reason), ("message", self.message)]
        {
            if !text.is_empty() {
                condition.set(&[field], text);
            }
        }
        let without_time = |one: &Value| {
            let mut one = one.clone();
            one.remove(&["lastTransitionTime"]);
            one
        };
        if conditions.iter().any(|one| without_time(one) == condition) {
            return;
        }
        condition.set(&["lastTransitionTime"], now.to_string());
        conditions.retain(|one| one["type"] != self.condition_type);
        conditions.push(condition);
        conditions.sort_by(|one, other| one.text(&["type"]).cmp(other.text(&["type"])));
        object.set(&["status", "conditions"], conditions);
    }
}
