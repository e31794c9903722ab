//! Validation of nodes: taints.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validateNodeTaints`).

use std::collections::HashSet;

use serde_json::{Value, json};

use super::metadata::push_all;
use super::names::{label_value, qualified_name};
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

/// The effects of taints, in the order in which refusals list them.
pub(super) const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// What is wrong with the taints of a node. The API server reports them below `metadata`.
pub(super) fn validate_node(node: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for (index, taint) in node.list(&["spec", "taints"]).iter().enumerate() {
        let place = format!("metadata.taints[{index}]");
        let (key, value, effect) = (taint.text(&["key"]), taint.text(&["value"]), taint.text(&["effect"]));
        push_all(&mut errors, &format!("{place}.key"), key, qualified_name(key));
        push_all(&mut errors, &format!("{place}.value"), value, label_value(value));
        errors.extend(validate_effect(effect, false, &format!("{place}.effect")));
        if !seen.insert((key, effect)) {
            errors.push(FieldError::new(
                place,
                FieldReason::Duplicate,
                taint_text(taint),
                "taints must be unique by key and effect pair",
            ));
        }
    }
    errors
}

/// A taint as Go prints it in a refusal.
fn taint_text(taint: &Value) -> String {
    let text = |field: &str| json!(taint.text(&[field])).to_string();
    let time = taint.get("timeAdded").map_or_else(|| "null".to_owned(), Value::to_string);
    format!(
        "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{time}}}",
        text("key"),
        text("value"),
        text("effect")
    )
}

/// What is wrong with the effect of a taint or a toleration.
pub(super) fn validate_effect(effect: &str, may_be_empty: bool, place: &str) -> Option<FieldError> {
    match effect {
        "" if may_be_empty => None,
        "" => Some(FieldError::required(place, "")),
        known if EFFECTS.contains(&known) => None,
        other => Some(not_supported(place, other, &EFFECTS)),
    }
}

/// `Unsupported value: "x": supported values: "a", "b"`
pub(super) fn not_supported(place: &str, value: &str, supported: &[&str]) -> FieldError {
    let supported: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
    let detail = format!("supported values: {}", supported.join(", "));
    FieldError::new(place, FieldReason::NotSupported, format!("{value:?}"), detail)
}
