//! What of a pod must not change.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`ValidatePodUpdate`).

use serde_json::Value;

use super::copy_field;
use super::internal_json::difference;
use super::pods::{validate_pod, validate_tolerations};
use crate::admission::pods::quality_of_service;
use crate::api::Subresource;
use crate::error::{FieldError, FieldReason};
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

/// What is wrong with a change of one part of a pod: containers that are added to look into it, or what containers ask for.
///
/// Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`ValidatePodEphemeralContainersUpdate`,
/// `ValidatePodResize`).
pub fn validate_pod_part_update(old: &Object, new: &Object, part: Subresource) -> Vec<FieldError> {
    match part {
        Subresource::EphemeralContainers => {
            let mut errors = validate_pod(new);
            errors.extend(validate_ephemeral_containers(old, new));
            errors
        }
        Subresource::Resize => {
            let mut errors = validate_pod(new);
            errors.extend(validate_sizes(old, new));
            errors
        }
        _ => Vec::new(),
    }
}

fn validate_ephemeral_containers(old: &Object, new: &Object) -> Vec<FieldError> {
    const PLACE: &str = "spec.ephemeralContainers";
    let mut errors = Vec::new();
    let all = new.list(&["spec", "ephemeralContainers"]);
    let others = ["initContainers", "containers"].map(|list| new.list(&["spec", list])).concat();
    for (index, container) in all.iter().enumerate() {
        let (place, name) = (format!("{PLACE}[{index}]"), container.text(&["name"]));
        if name.is_empty() {
            errors.push(FieldError::required(format!("{place}.name"), ""));
        } else if others.iter().chain(all.iter().take(index)).any(|other| other["name"] == name) {
            let value = format!("{name:?}");
            errors.push(FieldError::new(format!("{place}.name"), FieldReason::Duplicate, value, ""));
        }
        let target = container.text(&["targetContainerName"]);
        if !target.is_empty() && !others.iter().any(|other| other["name"] == target) {
            let value = format!("{target:?}");
            errors.push(FieldError::new(
                format!("{place}.targetContainerName"),
                FieldReason::NotFound,
                value,
                "",
            ));
        }
        if container.text(&["image"]).is_empty() {
            errors.push(FieldError::required(format!("{place}.image"), ""));
        }
    }
    for before in old.list(&["spec", "ephemeralContainers"]) {
        let name = before.text(&["name"]);
        match all.iter().find(|after| after["name"] == before["name"]) {
            None => {
                let text = format!("existing ephemeral containers {name:?} may not be removed\n");
                errors.push(FieldError::forbidden(PLACE, text));
            }
            Some(after) if after != before => {
                let difference = difference(before, after, "core", "EphemeralContainer");
                let text = format!("existing ephemeral containers {name:?} may not be changed\n{difference}");
                errors.push(FieldError::forbidden(PLACE, text));
            }
            Some(_) => {}
        }
    }
    errors
}

fn validate_sizes(old: &Object, new: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let class = |pod: &Object| quality_of_service(pod);
    if class(old) != class(new) {
        let text = "Pod QOS Class may not change as a result of resizing";
        errors.push(FieldError::invalid_text("spec", class(old), text));
    }
    let others = |pod: &Object| -> Vec<Value> {
        let containers = ["initContainers", "containers"].map(|list| pod.list(&["spec", list])).concat();
        let mut resources: Vec<Value> = containers.iter().map(|one| one["resources"].clone()).collect();
        for (part, resource) in
            [("requests", "cpu"), ("requests", "memory"), ("limits", "cpu"), ("limits", "memory")]
        {
            for one in &mut resources {
                one.remove(&[part, resource]);
                if one.at(&[part]).and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
                    one.remove(&[part]);
                }
            }
        }
        resources
    };
    if others(old) != others(new) {
        errors.push(FieldError::forbidden("spec", "only cpu and memory resources are mutable"));
    }
    errors
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
