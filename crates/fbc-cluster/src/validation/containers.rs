//! Validation of containers.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validateContainers`).

use serde_json::Value;

use super::metadata::push_all;
use super::names::{environment_name, label, port_name};
use super::nodes::not_supported;
use super::pods::duplicate;
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

/// What is wrong with the containers of a pod specification, whose volumes have these names.
pub(super) fn validate_containers(spec: &Value, volumes: &[&str], place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut names = Vec::new();
    if spec.list(&["containers"]).is_empty() {
        errors.push(FieldError::required(format!("{place}.containers"), ""));
    }
    for list in ["containers", "initContainers"] {
        for (index, container) in spec.list(&[list]).iter().enumerate() {
            let place = format!("{place}.{list}[{index}]");
            let name = container.text(&["name"]);
            if name.is_empty() {
                errors.push(FieldError::required(format!("{place}.name"), ""));
            } else if names.contains(&name) {
                errors.push(duplicate(format!("{place}.name"), name));
            } else {
                push_all(&mut errors, &format!("{place}.name"), name, label(name));
            }
            names.push(name);
            errors.extend(validate_container(container, volumes, &place));
        }
    }
    errors
}

fn validate_container(container: &Value, volumes: &[&str], place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let image = container.text(&["image"]);
    if image.is_empty() {
        errors.push(FieldError::required(format!("{place}.image"), ""));
    } else if image.trim() != image {
        let text = "must not have leading or trailing whitespace";
        errors.push(FieldError::invalid_text(format!("{place}.image"), image, text));
    }
    let policies = ["Always", "IfNotPresent", "Never"];
    match container.text(&["imagePullPolicy"]) {
        known if policies.contains(&known) => {}
        "" => errors.push(FieldError::required(format!("{place}.imagePullPolicy"), "")),
        other => errors.push(not_supported(&format!("{place}.imagePullPolicy"), other, &policies)),
    }
    let mut port_names = Vec::new();
    for (index, port) in container.list(&["ports"]).iter().enumerate() {
        let place = format!("{place}.ports[{index}]");
        let name = port.text(&["name"]);
        if !name.is_empty() {
            let wrong = port_name(name);
            if wrong.is_empty() && port_names.contains(&name) {
                errors.push(duplicate(format!("{place}.name"), name));
            }
            port_names.push(name);
            push_all(&mut errors, &format!("{place}.name"), name, wrong);
        }
        match port.number(&["containerPort"]).unwrap_or_default() {
            0 => errors.push(FieldError::required(format!("{place}.containerPort"), "")),
            number => errors.extend(validate_port(number, &format!("{place}.containerPort"))),
        }
        let protocols = ["SCTP", "TCP", "UDP"];
        let protocol = port.text(&["protocol"]);
        if !protocols.contains(&protocol) {
            errors.push(not_supported(&format!("{place}.protocol"), protocol, &protocols));
        }
    }
    for (index, variable) in container.list(&["env"]).iter().enumerate() {
        let place = format!("{place}.env[{index}].name");
        match variable.text(&["name"]) {
            "" => errors.push(FieldError::required(place, "")),
            name => push_all(&mut errors, &place, name, environment_name(name)),
        }
    }
    let mut paths = Vec::new();
    for (index, mount) in container.list(&["volumeMounts"]).iter().enumerate() {
        let place = format!("{place}.volumeMounts[{index}]");
        let (name, path) = (mount.text(&["name"]), mount.text(&["mountPath"]));
        if name.is_empty() {
            errors.push(FieldError::required(format!("{place}.name"), ""));
        }
        if path.is_empty() {
            errors.push(FieldError::required(format!("{place}.mountPath"), ""));
        }
        if !volumes.contains(&name) {
            errors.push(FieldError::new(
                format!("{place}.name"),
                FieldReason::NotFound,
                format!("{name:?}"),
                "",
            ));
        }
        if paths.contains(&path) {
            let text = "must be unique";
            errors.push(FieldError::invalid_text(format!("{place}.mountPath"), path, text));
        }
        paths.push(path);
    }
    errors
}

/// What is wrong with the number of a port.
pub(super) fn validate_port(number: i64, place: &str) -> Option<FieldError> {
    let fits = (1..=65535).contains(&number);
    (!fits).then(|| {
        let text = "must be between 1 and 65535, inclusive";
        FieldError::new(place, FieldReason::Invalid, number.to_string(), text)
    })
}
