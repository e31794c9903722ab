//! Validation of what makes pods of templates.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/apps/validation/validation.go`.

use serde::Serialize;
use serde_json::Value;

use super::metadata::{validate_labels, validate_selector};
use super::nodes::not_supported;
use super::pods::validate_pod_spec;
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

/// What is wrong with a workload.
pub(super) fn validate_workload(object: &Object) -> Vec<FieldError> {
    let kind = object.kind();
    let mut errors = Vec::new();
    for field in ["replicas", "minReadySeconds", "revisionHistoryLimit"] {
        errors.extend(not_negative(&object["spec"], field, "spec"));
    }
    errors.extend(validate_own_selector(object, object.at(&["spec", "template"])));
    errors.extend(validate_labels(
        object.at(&["spec", "template", "metadata", "labels"]),
        "spec.template.metadata.labels",
    ));
    if let Some(pod) = object.at(&["spec", "template", "spec"]) {
        errors.extend(validate_pod_spec(pod, false, "spec.template.spec"));
        if let policy @ ("OnFailure" | "Never") = pod.text(&["restartPolicy"]) {
            errors.push(not_supported("spec.template.spec.restartPolicy", policy, &["Always"]));
        }
    }
    if kind == "Deployment" {
        errors.extend(validate_strategy(object));
    }
    errors
}

/// What is wrong with a count of a specification at a place.
pub(super) fn not_negative(spec: &Value, field: &str, place: &str) -> Option<FieldError> {
    let number = spec.number(&[field]).filter(|number| *number < 0)?;
    let text = "must be greater than or equal to 0";
    Some(FieldError::invalid_number(format!("{place}.{field}"), number, text))
}

fn validate_own_selector(object: &Object, template: Option<&Value>) -> Vec<FieldError> {
    let selector = object.given(&["spec", "selector"]);
    let Some(selector) = selector else { return vec![FieldError::required("spec.selector", "")] };
    let mut errors = validate_selector(Some(selector), "spec.selector");
    let is_empty = selector.as_object().is_some_and(|members| {
        members
            .values()
            .all(|value| value.as_object().is_none_or(serde_json::Map::is_empty) && !value.is_array())
    });
    if is_empty {
        let kind = object.kind().to_lowercase();
        errors.push(FieldError::new(
            "spec.selector",
            FieldReason::Invalid,
            go_selector(selector),
            format!("empty selector is invalid for {kind}"),
        ));
    }
    let labels = template.and_then(|template| template.at(&["metadata", "labels"]));
    if errors.is_empty() && !selects(selector, labels) {
        errors.push(FieldError::new(
            "spec.template.metadata.labels",
            FieldReason::Invalid,
            labels.map_or_else(|| "null".to_owned(), Value::to_string),
            "`selector` does not match template `labels`",
        ));
    }
    errors
}

/// Whether a selector selects labels.
fn selects(selector: &Value, labels: Option<&Value>) -> bool {
    let label = |key: &str| labels.and_then(|labels| labels.get(key));
    let wanted = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let mut by_labels = wanted.map(|(key, value)| label(key) == Some(value));
    let by_requirement = |requirement: &Value| {
        let value = label(requirement.text(&["key"]));
        let is_listed = value.is_some_and(|value| requirement.list(&["values"]).contains(value));
        match requirement.text(&["operator"]) {
            "In" => is_listed,
            "NotIn" => !is_listed,
            "Exists" => value.is_some(),
            _ => value.is_none(),
        }
    };
    by_labels.all(|fits| fits) && selector.list(&["matchExpressions"]).iter().all(by_requirement)
}

/// A selector as refusals print it.
pub(super) fn go_selector(selector: &Value) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Printed<'s> {
        #[serde(skip_serializing_if = "Option::is_none")]
        match_labels: Option<&'s Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        match_expressions: Option<&'s Value>,
    }
    let (match_labels, match_expressions) = (selector.get("matchLabels"), selector.get("matchExpressions"));
    // What is JSON already can be written.
    serde_json::to_string(&Printed { match_labels, match_expressions }).unwrap_or_default()
}

fn validate_strategy(object: &Object) -> Vec<FieldError> {
    let strategy = object.at(&["spec", "strategy"]);
    let text = |path: &[&str]| strategy.map(|strategy| strategy.text(path)).unwrap_or_default();
    let rolling = strategy.and_then(|strategy| strategy.get("rollingUpdate"));
    match text(&["type"]) {
        "Recreate" if rolling.is_some_and(|rolling| !rolling.is_null()) => vec![FieldError::forbidden(
            "spec.strategy.rollingUpdate",
            "may not be specified when strategy `type` is 'Recreate'",
        )],
        "Recreate" => Vec::new(),
        "RollingUpdate" => {
            let is_zero = |field| {
                rolling
                    .and_then(|rolling| rolling.get(field))
                    .is_some_and(|value| value == 0 || value == "0%")
            };
            if is_zero("maxUnavailable") && is_zero("maxSurge") {
                let value = rolling.and_then(|rolling| rolling.get("maxUnavailable"));
                return vec![FieldError::new(
                    "spec.strategy.rollingUpdate.maxUnavailable",
                    FieldReason::Invalid,
                    value.map(Value::to_string).unwrap_or_default(),
                    "may not be 0 when `maxSurge` is 0",
                )];
            }
            Vec::new()
        }
        other => vec![not_supported("spec.strategy.type", other, &["Recreate", "RollingUpdate"])],
    }
}

/// What of a workload must not change.
pub(super) fn validate_workload_update(old: &Object, new: &Object) -> Vec<FieldError> {
    let differs = |path: &[&str]| old.at(path) != new.at(path);
    match new.kind() {
        "StatefulSet" => {
            let mutable = [
                "replicas",
                "ordinals",
                "template",
                "updateStrategy",
                "revisionHistoryLimit",
                "persistentVolumeClaimRetentionPolicy",
                "minReadySeconds",
            ];
            let fixed = |object: &Object| {
                let members = object.get("spec").and_then(Value::as_object).into_iter().flatten();
                members
                    .filter(|(name, _)| !mutable.contains(&name.as_str()))
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect::<Vec<_>>()
            };
            if fixed(old) == fixed(new) {
                return Vec::new();
            }
            vec![FieldError::forbidden(
                "spec",
                "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
                 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and \
                 'minReadySeconds' are forbidden",
            )]
        }
        kind => {
            let fixed: &[&str] = match kind {
                "Job" => &["completions", "selector", "template"],
                "Deployment" | "ReplicaSet" | "DaemonSet" => &["selector"],
                _ => &[],
            };
            fixed
                .iter()
                .filter(|field| differs(&["spec", field]))
                .map(|field| immutable(new, field))
                .collect()
        }
    }
}

/// `spec.selector: Invalid value: {…}: field is immutable`
fn immutable(new: &Object, field: &str) -> FieldError {
    let value = new.at(&["spec", field]);
    let value = match (field, value) {
        ("selector", Some(selector)) => go_selector(selector),
        (_, value) => value.map_or_else(|| "null".to_owned(), Value::to_string),
    };
    FieldError::new(format!("spec.{field}"), FieldReason::Invalid, value, "field is immutable")
}
