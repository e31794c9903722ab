//! What of a pod must not change.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`ValidatePodUpdate`).

use serde_json::Value;

use super::copy_field;
use super::internal_json::difference;
use super::pods::validate_tolerations;
use crate::error::FieldError;
use crate::object::{Object, ObjectFields};

/// What is wrong with a change of a pod.
pub(super) fn validate_pod_update(old: &Object, new: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut bare =
        [old.get("spec").cloned().unwrap_or_default(), new.get("spec").cloned().unwrap_or_default()];
    if !keeps_tolerations(&bare[0], &bare[1]) {
        errors.push(FieldError::forbidden(
            "spec.tolerations",
            "existing toleration can not be modified except its tolerationSeconds",
        ));
    } else if let Some(spec) = new.get("spec") {
        // The reference looks at them a second time here, so their errors come twice among the causes.
        errors.extend(validate_tolerations(spec, "spec"));
    }
    // What may change is made equal; the rest must be.
    let [before, after] = &mut bare;
    let may_end = after.number(&["terminationGracePeriodSeconds"]) == Some(1)
        && before.number(&["terminationGracePeriodSeconds"]).is_some_and(|seconds| seconds < 0);
    for spec in [&mut *before, &mut *after] {
        for list in ["containers", "initContainers"] {
            for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                container.remove(&["image"]);
            }
        }
        spec.remove(&["activeDeadlineSeconds"]);
        spec.remove(&["tolerations"]);
        if may_end {
            spec.remove(&["terminationGracePeriodSeconds"]);
        }
    }
    if before != after {
        let text = format!("{IMMUTABLE}\n{}", pod_spec_diff(old, new));
        errors.push(FieldError::forbidden("spec", text));
    }
    errors
}

const IMMUTABLE: &str = "pod updates may not change fields other than \
    `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only \
    additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was \
    previously negative)";

/// The difference of two pods in what must not change. As in the reference, what may change is taken from the new one.
fn pod_spec_diff(old: &Object, new: &Object) -> String {
    let empty = Value::Null;
    let after = new.get("spec").unwrap_or(&empty);
    let mut before = old.get("spec").cloned().unwrap_or_default();
    for field in ["activeDeadlineSeconds", "tolerations"] {
        copy_field(&mut before, after, &[field]);
    }
    for list in ["containers", "initContainers"] {
        let images: Vec<Value> =
            after.list(&[list]).iter().map(|container| container["image"].clone()).collect();
        if let Some(Value::Array(containers)) = before.get_mut(list) {
            for (container, image) in containers.iter_mut().zip(images) {
                container.set(&["image"], image);
            }
        }
    }
    difference(&before, after, "core", "PodSpec")
}

/// Whether every toleration is still there, but for its seconds.
fn keeps_tolerations(old: &Value, new: &Value) -> bool {
    let same = |one: &Value, other: &Value| {
        ["key", "operator", "value", "effect"].iter().all(|field| one.text(&[field]) == other.text(&[field]))
    };
    old.list(&["tolerations"])
        .iter()
        .all(|before| new.list(&["tolerations"]).iter().any(|after| same(before, after)))
}
