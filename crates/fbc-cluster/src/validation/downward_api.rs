//! Validation of what containers and volumes show of their own pod.
//!
//! Sources: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validateObjectFieldSelector`,
//! `validateContainerResourceFieldSelector`), `pkg/apis/core/pods/helpers.go`.

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::metadata::push_all;
use super::names::qualified_name;
use super::nodes::not_supported;
use crate::error::FieldError;
use crate::object::ObjectFields;

/// Where something of a pod is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a variable of a container.
    Variable,
    /// In a file of a volume.
    Volume,
}

const OF_VARIABLES: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const OF_VOLUMES: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
/// Fields that are known, but shown nowhere.
const OTHERS: [&str; 3] = ["spec.restartPolicy", "spec.schedulerName", "status.phase"];

const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const HUGE_PAGES: [&str; 2] = ["limits.hugepages-", "requests.hugepages-"];
const SIZES: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/// What is wrong with the name of a field of the pod.
pub(super) fn validate_field(field: &Value, shown_in: Place, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (version, path) = (field.text(&["apiVersion"]), field.text(&["fieldPath"]));
    for (name, text) in [("apiVersion", version), ("fieldPath", path)] {
        if text.is_empty() {
            return vec![FieldError::required(format!("{place}.{name}"), "")];
        }
    }
    let refuse = |cause: String| {
        let text = format!("error converting fieldPath: {cause}");
        vec![FieldError::invalid_text(format!("{place}.fieldPath"), path, text)]
    };
    if version != "v1" {
        return refuse(format!("unsupported pod version: {version}"));
    }
    let subscripted = path.strip_suffix("']").and_then(|path| path.split_once("['"));
    if let Some((of, key)) = subscripted.filter(|(of, _)| !of.is_empty()) {
        match of {
            "metadata.annotations" => {
                push_all(&mut errors, place, &key.to_lowercase(), qualified_name(&key.to_lowercase()))
            }
            "metadata.labels" => push_all(&mut errors, place, key, qualified_name(key)),
            _ => return refuse(format!("field label does not support subscript: {path}")),
        }
        return errors;
    }
    let path = if path == "spec.host" { "spec.nodeName" } else { path };
    if ![&OF_VARIABLES[..], &OF_VOLUMES, &OTHERS].iter().any(|known| known.contains(&path)) {
        return refuse(format!("field label not supported: {path}"));
    }
    let allowed: &[&str] = if shown_in == Place::Volume { &OF_VOLUMES } else { &OF_VARIABLES };
    if !allowed.contains(&path) {
        errors.push(not_supported(&format!("{place}.fieldPath"), path, allowed));
    }
    errors
}

/// What is wrong with the name of a resource of a container.
pub(super) fn validate_resource_field(field: &Value, shown_in: Place, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let resource = field.text(&["resource"]);
    let is_huge = HUGE_PAGES.iter().any(|prefix| resource.starts_with(prefix));
    if shown_in == Place::Volume && field.text(&["containerName"]).is_empty() {
        errors.push(FieldError::required(format!("{place}.containerName"), ""));
    } else if resource.is_empty() {
        errors.push(FieldError::required(format!("{place}.resource"), ""));
    } else if !RESOURCES.contains(&resource) && !is_huge {
        errors.push(not_supported(&format!("{place}.resource"), resource, &RESOURCES));
    }
    let divisor = field.at(&["divisor"]).and_then(Quantity::from_json).filter(|divisor| divisor.sign() != 0);
    let Some(divisor) = divisor.map(|divisor| divisor.to_string()) else { return errors };
    let name = match resource.split_once('.').map_or("", |(_, name)| name) {
        "cpu" => "cpu",
        "memory" => "memory",
        "ephemeral-storage" => "local ephemeral storage",
        _ if is_huge => "hugepages",
        _ => return errors,
    };
    let (fits, values) = match name {
        "cpu" => (["1m", "1"].contains(&divisor.as_str()), "1m and 1".to_owned()),
        _ => (SIZES.contains(&divisor.as_str()), SIZES.join(", ")),
    };
    if !fits {
        let text = format!("only divisor's values {values} are supported with the {name} resource");
        errors.push(FieldError::invalid_text(format!("{place}.divisor"), resource, text));
    }
    errors
}
