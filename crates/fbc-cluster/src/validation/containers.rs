//! Validation of containers.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validateContainers`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::environment::validate_environment;
use super::metadata::push_all;
use super::names::{label, port_name};
use super::nodes::not_supported;
use super::pods::duplicate;
use super::probes::{PROBES, validate_probes};
use super::resources::validate_resources;
use super::security::validate_container_security;
use super::volumes::{steps_back, validate_local_path};
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

/// Volumes by name.
type Volumes<'v> = BTreeMap<&'v str, &'v Value>;

/// What is wrong with the containers of a pod specification, whose volumes these are.
pub(super) fn validate_containers(spec: &Value, volumes: &[&Value], place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut names = BTreeSet::new();
    let volumes: Volumes<'_> = volumes.iter().map(|volume| (volume.text(&["name"]), *volume)).collect();
    let grace_period = spec.number(&["terminationGracePeriodSeconds"]);
    let (containers, of_containers) = (spec.list(&["containers"]), format!("{place}.containers"));
    if containers.is_empty() {
        errors.push(FieldError::required(&of_containers, ""));
    }
    for (index, container) in containers.iter().enumerate() {
        let place = format!("{of_containers}[{index}]");
        errors.extend(validate_container(container, &volumes, &place));
        errors.extend(validate_container_security(spec, container, &place));
        let name = container.text(&["name"]);
        if !names.insert(name) {
            errors.push(duplicate(format!("{place}.name"), name));
        }
        errors.extend(validate_probes(container, grace_period, &place));
        if container.given(&["restartPolicy"]).is_some() {
            let text = "may not be set for non-init containers";
            errors.push(FieldError::forbidden(format!("{place}.restartPolicy"), text));
        }
    }
    errors.extend(validate_host_ports(containers, &of_containers));
    let of_containers = format!("{place}.initContainers");
    for (index, container) in spec.list(&["initContainers"]).iter().enumerate() {
        let place = format!("{of_containers}[{index}]");
        errors.extend(validate_container(container, &volumes, &place));
        errors.extend(validate_container_security(spec, container, &place));
        let policy = container.text(&["restartPolicy"]);
        if container.given(&["restartPolicy"]).is_some() && policy != "Always" {
            errors.push(not_supported(&format!("{place}.restartPolicy"), policy, &["Always"]));
        }
        let name = container.text(&["name"]);
        if !name.is_empty() && !names.insert(name) {
            errors.push(duplicate(format!("{place}.name"), name));
        }
        errors.extend(validate_host_ports(std::slice::from_ref(container), &of_containers));
        if policy == "Always" {
            errors.extend(validate_probes(container, grace_period, &place));
            continue;
        }
        for field in
            ["lifecycle"].into_iter().chain(PROBES).filter(|field| container.given(&[field]).is_some())
        {
            let text = "may not be set for init containers without restartPolicy=Always";
            errors.push(FieldError::forbidden(format!("{place}.{field}"), text));
        }
    }
    errors
}

/// Containers of one pod must not open the same port of their node.
fn validate_host_ports(containers: &[Value], place: &str) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), BTreeSet::new());
    for (index, container) in containers.iter().enumerate() {
        for (number, port) in container.list(&["ports"]).iter().enumerate() {
            let Some(host_port) = port.number(&["hostPort"]).filter(|port| *port != 0) else { continue };
            let text = format!("{}/{}/{host_port}", port.text(&["protocol"]), port.text(&["hostIP"]));
            if !taken.insert(text.clone()) {
                errors.push(duplicate(format!("{place}[{index}].ports[{number}].hostPort"), &text));
            }
        }
    }
    errors
}

/// In the network of the node a container has the ports of the node. Those that a template leaves out come with its pods.
pub(super) fn validate_host_network_ports(spec: &Value, is_pod: bool, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if spec.at(&["hostNetwork"]) != Some(&Value::Bool(true)) {
        return errors;
    }
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for (index, container) in spec.list(&[list]).iter().enumerate() {
            for (number, port) in container.list(&["ports"]).iter().enumerate() {
                let [of_host, own] =
                    ["hostPort", "containerPort"].map(|field| port.number(&[field]).unwrap_or_default());
                if (is_pod || of_host != 0) && of_host != own {
                    let place = format!("{place}.{list}[{index}].ports[{number}].hostPort");
                    let text = "must match `containerPort` when `hostNetwork` is true";
                    errors.push(FieldError::invalid_number(place, of_host, text));
                }
            }
        }
    }
    errors
}

/// When images are pulled.
pub(super) const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];

/// What is wrong with a field that must hold one of some texts.
pub(super) fn require_one_of(of: &Value, field: &str, known: &[&str], place: &str) -> Option<FieldError> {
    let place = format!("{place}.{field}");
    match of.text(&[field]) {
        "" => Some(FieldError::required(place, "")),
        value if known.contains(&value) => None,
        other => Some(not_supported(&place, other, known)),
    }
}

fn validate_container(container: &Value, volumes: &Volumes<'_>, place: &str) -> Vec<FieldError> {
    const MESSAGES: [&str; 2] = ["File", "FallbackToLogsOnError"];
    let mut errors = Vec::new();
    let (name, of_name) = (container.text(&["name"]), format!("{place}.name"));
    if name.is_empty() {
        errors.push(FieldError::required(of_name, ""));
    } else {
        push_all(&mut errors, &of_name, name, label(name));
    }
    if container.text(&["image"]).is_empty() {
        errors.push(FieldError::required(format!("{place}.image"), ""));
    }
    errors.extend(require_one_of(container, "terminationMessagePolicy", &MESSAGES, place));
    validate_ports(container, place, &mut errors);
    errors.extend(validate_environment(container, place));
    validate_mounts(container, volumes, place, &mut errors);
    validate_devices(container, volumes, place, &mut errors);
    errors.extend(require_one_of(container, "imagePullPolicy", &PULL_POLICIES, place));
    errors.extend(validate_resources(container, place));
    errors
}

fn validate_ports(container: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
    let mut names = BTreeSet::new();
    for (index, port) in container.list(&["ports"]).iter().enumerate() {
        let place = format!("{place}.ports[{index}]");
        let (name, of_name) = (port.text(&["name"]), format!("{place}.name"));
        if !name.is_empty() {
            let wrong = port_name(name);
            if wrong.is_empty() && !names.insert(name) {
                errors.push(duplicate(of_name.clone(), name));
            }
            push_all(errors, &of_name, name, wrong);
        }
        match port.number(&["containerPort"]).unwrap_or_default() {
            0 => errors.push(FieldError::required(format!("{place}.containerPort"), "")),
            number => errors.extend(validate_port(number, &format!("{place}.containerPort"))),
        }
        if let Some(number) = port.number(&["hostPort"]).filter(|number| *number != 0) {
            errors.extend(validate_port(number, &format!("{place}.hostPort")));
        }
        let protocol = port.text(&["protocol"]);
        if !PROTOCOLS.contains(&protocol) {
            errors.push(not_supported(&format!("{place}.protocol"), protocol, &PROTOCOLS));
        }
    }
}

fn not_found(place: String, name: &str) -> FieldError {
    FieldError::new(place, FieldReason::NotFound, format!("{name:?}"), "")
}

/// The names of mounts or devices, and their paths.
fn both<'v>(list: &'v [Value], path: &'static str) -> (BTreeSet<&'v str>, BTreeSet<&'v str>) {
    list.iter().map(|one| (one.text(&["name"]), one.text(&[path]))).unzip()
}

/// The reference leaves the number of the mount out of the places of what it says about paths within volumes.
fn validate_mounts(container: &Value, volumes: &Volumes<'_>, place: &str, errors: &mut Vec<FieldError>) {
    const PROPAGATIONS: [&str; 3] = ["Bidirectional", "HostToContainer", "None"];
    let list = format!("{place}.volumeMounts");
    let (devices, device_paths) = both(container.list(&["volumeDevices"]), "devicePath");
    let mut paths = BTreeSet::new();
    for (index, mount) in container.list(&["volumeMounts"]).iter().enumerate() {
        let place = format!("{list}[{index}]");
        let (of_name, of_path) = (format!("{place}.name"), format!("{place}.mountPath"));
        let (name, path) = (mount.text(&["name"]), mount.text(&["mountPath"]));
        let volume = volumes.get(name);
        if name.is_empty() {
            errors.push(FieldError::required(&of_name, ""));
        }
        if volume.is_none() {
            errors.push(not_found(of_name.clone(), name));
        }
        if path.is_empty() {
            errors.push(FieldError::required(&of_path, ""));
        }
        if !paths.insert(path) {
            errors.push(FieldError::invalid_text(&of_path, path, "must be unique"));
        }
        if devices.contains(name) {
            errors.push(FieldError::invalid_text(of_name, name, "must not already exist in volumeDevices"));
        }
        if device_paths.contains(path) {
            let text = "must not already exist as a path in volumeDevices";
            errors.push(FieldError::invalid_text(of_path, path, text));
        }
        let parts = ["subPath", "subPathExpr"].map(|field| (field, mount.text(&[field])));
        for (field, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
            if volume.is_some_and(|volume| volume.given(&["image"]).is_some()) {
                let text = "not allowed in image volume sources";
                errors.push(FieldError::invalid_text(format!("{place}.{field}"), part, text));
            }
            if field == "subPathExpr" && !mount.text(&["subPath"]).is_empty() {
                let text = "subPathExpr and subPath are mutually exclusive";
                errors.push(FieldError::invalid_text(format!("{place}.{field}"), part, text));
            }
            errors.extend(validate_local_path(part, &format!("{list}.{field}")));
        }
        let is_privileged = container.at(&["securityContext", "privileged"]) == Some(&Value::Bool(true));
        let of_propagation = format!("{list}.mountPropagation");
        match mount.at(&["mountPropagation"]).and_then(Value::as_str) {
            None => {}
            Some("Bidirectional") if !is_privileged => {
                let text = "Bidirectional mount propagation is available only to privileged containers";
                errors.push(FieldError::forbidden(of_propagation, text));
            }
            Some(known) if PROPAGATIONS.contains(&known) => {}
            Some(other) => errors.push(not_supported(&of_propagation, other, &PROPAGATIONS)),
        }
    }
}

fn validate_devices(container: &Value, volumes: &Volumes<'_>, place: &str, errors: &mut Vec<FieldError>) {
    let (mounts, mount_paths) = both(container.list(&["volumeMounts"]), "mountPath");
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for (index, device) in container.list(&["volumeDevices"]).iter().enumerate() {
        let place = format!("{place}.volumeDevices[{index}]");
        let (of_name, of_path) = (format!("{place}.name"), format!("{place}.devicePath"));
        let (name, path) = (device.text(&["name"]), device.text(&["devicePath"]));
        if name.is_empty() {
            errors.push(FieldError::required(&of_name, ""));
        } else if !names.insert(name) {
            errors.push(FieldError::invalid_text(&of_name, name, "must be unique"));
        }
        match volumes.get(name) {
            Some(volume)
                if volume.given(&["persistentVolumeClaim"]).is_some()
                    || volume.given(&["ephemeral"]).is_some() => {}
            Some(_) => {
                let text =
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.push(FieldError::invalid_text(&of_name, name, text));
            }
            None => errors.push(not_found(of_name.clone(), name)),
        }
        if path.is_empty() {
            errors.push(FieldError::required(&of_path, ""));
        }
        if paths.contains(path) {
            errors.push(FieldError::invalid_text(&of_path, path, "must be unique"));
        }
        if steps_back(path) {
            errors.push(FieldError::invalid_text(&of_path, path, "can not contain backsteps ('..')"));
        } else {
            paths.insert(path);
        }
        if mounts.contains(name) {
            errors.push(FieldError::invalid_text(of_name, name, "must not already exist in volumeMounts"));
        }
        if mount_paths.contains(path) {
            let text = "must not already exist as a path in volumeMounts";
            errors.push(FieldError::invalid_text(of_path, path, text));
        }
    }
}

/// What is wrong with the number of a port.
pub(super) fn validate_port(number: i64, place: &str) -> Option<FieldError> {
    let fits = (1..=65535).contains(&number);
    (!fits).then(|| {
        let text = "must be between 1 and 65535, inclusive";
        FieldError::invalid_number(place, number, text)
    })
}
