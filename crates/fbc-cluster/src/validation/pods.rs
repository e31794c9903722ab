//! Validation of pods and pod templates.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go`.

use serde_json::Value;

use super::containers::validate_containers;
use super::metadata::{push_all, validate_labels};
use super::names::{label_value, qualified_name, subdomain};
use super::nodes::{not_supported, validate_effect};
use crate::error::FieldError;
use crate::object::ObjectFields;

/// What is wrong with a pod specification at a place such as `spec.template.spec`.
pub(super) fn validate_pod_spec(spec: &Value, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut volumes = Vec::new();
    for (index, volume) in spec.list(&["volumes"]).iter().enumerate() {
        let place = format!("{place}.volumes[{index}]");
        let name = volume.text(&["name"]);
        if name.is_empty() {
            errors.push(FieldError::required(format!("{place}.name"), ""));
        } else if volumes.contains(&name) {
            errors.push(duplicate(format!("{place}.name"), name));
        } else {
            push_all(&mut errors, &format!("{place}.name"), name, super::names::label(name));
        }
        volumes.push(name);
        match volume.as_object().map_or(0, |members| members.len().saturating_sub(1)) {
            0 => errors.push(FieldError::required(place, "must specify a volume type")),
            1 => {}
            _ => errors.push(FieldError::forbidden(place, "may not specify more than 1 volume type")),
        }
    }
    errors.extend(validate_containers(spec, &volumes, place));
    match spec.text(&["restartPolicy"]) {
        "Always" | "OnFailure" | "Never" => {}
        "" => errors.push(FieldError::required(format!("{place}.restartPolicy"), "")),
        other => {
            let policies = ["Always", "OnFailure", "Never"];
            errors.push(not_supported(&format!("{place}.restartPolicy"), other, &policies));
        }
    }
    let dns_policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    match spec.text(&["dnsPolicy"]) {
        known if dns_policies.contains(&known) => {}
        "" => errors.push(FieldError::required(format!("{place}.dnsPolicy"), "")),
        other => errors.push(not_supported(&format!("{place}.dnsPolicy"), other, &dns_policies)),
    }
    errors.extend(validate_labels(spec.get("nodeSelector"), &format!("{place}.nodeSelector")));
    for field in ["serviceAccountName", "nodeName"] {
        let name = spec.text(&[field]);
        if !name.is_empty() {
            push_all(&mut errors, &format!("{place}.{field}"), name, subdomain(name));
        }
    }
    errors.extend(validate_tolerations(spec, place));
    errors
}

/// `Duplicate value: "x"`
pub(super) fn duplicate(place: String, value: &str) -> FieldError {
    FieldError::new(place, crate::error::FieldReason::Duplicate, format!("{value:?}"), "")
}

/// What is wrong with the tolerations of a pod.
pub(super) fn validate_tolerations(spec: &Value, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, toleration) in spec.list(&["tolerations"]).iter().enumerate() {
        let place = format!("{place}.tolerations[{index}]");
        let text = |field| toleration.text(&[field]);
        let (key, operator, value, effect) = (text("key"), text("operator"), text("value"), text("effect"));
        let of_operator = format!("{place}.operator");
        if !key.is_empty() {
            push_all(&mut errors, &format!("{place}.key"), key, qualified_name(key));
        } else if operator != "Exists" {
            errors.push(FieldError::invalid_text(
                &of_operator,
                operator,
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
            ));
        }
        let has_seconds = toleration.get("tolerationSeconds").is_some_and(|seconds| !seconds.is_null());
        if has_seconds && effect != "NoExecute" {
            errors.push(FieldError::invalid_text(
                format!("{place}.effect"),
                effect,
                "effect must be 'NoExecute' when `tolerationSeconds` is set",
            ));
        }
        match operator {
            "Equal" | "" => push_all(&mut errors, &of_operator, value, label_value(value)),
            "Exists" if !value.is_empty() => errors.push(FieldError::invalid_text(
                &of_operator,
                value,
                "value must be empty when `operator` is 'Exists'",
            )),
            "Exists" => {}
            // Comparisons are behind a gate, but the list names them once one is used.
            "Lt" | "Gt" => {
                errors.push(not_supported(&of_operator, operator, &["Equal", "Exists", "Lt", "Gt"]));
            }
            other => errors.push(not_supported(&of_operator, other, &["Equal", "Exists"])),
        }
        errors.extend(validate_effect(effect, true, &format!("{place}.effect")));
    }
    errors
}
