//! Validation of pods and pod templates.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go`.

use std::net::IpAddr;

use serde_json::Value;

use super::affinity::{validate_affinity, validate_spread};
use super::containers::{validate_containers, validate_host_network_ports};
use super::metadata::{push_all, validate_labels};
use super::names::{label, label_value, qualified_name, subdomain, subdomain_with_underscores};
use super::nodes::{not_supported, validate_effect};
use super::security::validate_pod_security;
use super::volumes::validate_volumes;
use super::windows::validate_host_processes;
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

/// What is wrong with a pod.
pub(super) fn validate_pod(pod: &Object) -> Vec<FieldError> {
    let mut errors = validate_pod_spec(&pod["spec"], true, "spec");
    for list in ["containers", "initContainers"] {
        for (index, container) in pod.list(&["spec", list]).iter().enumerate() {
            let image = container.text(&["image"]);
            if image.trim() != image {
                let text = "must not have leading or trailing whitespace";
                errors.push(FieldError::invalid_text(format!("spec.{list}[{index}].image"), image, text));
            }
        }
    }
    errors
}

/// What is wrong with a pod specification at a place such as `spec.template.spec`, which is that of a pod or of a template.
pub(super) fn validate_pod_spec(spec: &Value, is_pod: bool, place: &str) -> Vec<FieldError> {
    let (volumes, mut errors) = validate_volumes(spec, is_pod, place);
    errors.extend(validate_containers(spec, &volumes, place));
    errors.extend(validate_host_network_ports(spec, is_pod, place));
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
    errors.extend(validate_pod_security(spec, place));
    errors.extend(validate_affinity(spec, place));
    validate_dns(spec, place, &mut errors);
    for (index, gate) in spec.list(&["readinessGates"]).iter().enumerate() {
        let condition = gate.text(&["conditionType"]);
        let place = format!("{place}.readinessGates[{index}].conditionType");
        push_all(&mut errors, &place, condition, qualified_name(condition));
    }
    errors.extend(validate_spread(spec, place));
    errors.extend(validate_host_processes(spec, place));
    let mut check = |field: &str, texts: fn(&str) -> Vec<String>| {
        let name = spec.text(&[field]);
        if !name.is_empty() {
            push_all(&mut errors, &format!("{place}.{field}"), name, texts(name));
        }
    };
    check("serviceAccountName", subdomain);
    check("nodeName", subdomain);
    check("hostname", label);
    check("subdomain", label);
    check("priorityClassName", subdomain);
    check("runtimeClassName", subdomain);
    let deadline = spec.number(&["activeDeadlineSeconds"]);
    if let Some(seconds) = deadline.filter(|seconds| !(1..=i64::from(i32::MAX)).contains(seconds)) {
        let (place, text) =
            (format!("{place}.activeDeadlineSeconds"), "must be between 1 and 2147483647, inclusive");
        errors.push(FieldError::invalid_number(place, seconds, text));
    }
    errors.extend(validate_tolerations(spec, place));
    for (index, alias) in spec.list(&["hostAliases"]).iter().enumerate() {
        let place = format!("{place}.hostAliases[{index}]");
        errors.extend(validate_address(alias.text(&["ip"]), format!("{place}.ip")));
        for (number, name) in alias.list(&["hostnames"]).iter().filter_map(Value::as_str).enumerate() {
            push_all(&mut errors, &format!("{place}.hostnames[{number}]"), name, subdomain(name));
        }
    }
    errors
}

fn validate_address(address: &str, place: String) -> Option<FieldError> {
    let text = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    let is_wrong = address.parse::<IpAddr>().is_err();
    is_wrong.then(|| FieldError::invalid_text(place, address, text))
}

fn validate_dns(spec: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const MOST_SERVERS: usize = 3;
    let place = format!("{place}.dnsConfig");
    let config = spec.given(&["dnsConfig"]);
    let servers = config.map(|config| config.list(&["nameservers"])).unwrap_or_default();
    let of_servers = format!("{place}.nameservers");
    if spec.text(&["dnsPolicy"]) == "None" && servers.is_empty() {
        let (place, text) = match config {
            None => (place, "must provide `dnsConfig` when `dnsPolicy` is None"),
            Some(_) => (of_servers, "must provide at least one DNS nameserver when `dnsPolicy` is None"),
        };
        errors.push(FieldError::required(place, text));
        return;
    }
    let Some(config) = config else { return };
    if servers.len() > MOST_SERVERS {
        let text = format!("must not have more than {MOST_SERVERS} nameservers");
        let value = config["nameservers"].to_string();
        errors.push(FieldError::new(&of_servers, FieldReason::Invalid, value, text));
    }
    for (index, server) in servers.iter().filter_map(Value::as_str).enumerate() {
        errors.extend(validate_address(server, format!("{of_servers}[{index}]")));
    }
    validate_searches(config, &format!("{place}.searches"), errors);
    for (index, option) in config.list(&["options"]).iter().enumerate() {
        if option.text(&["name"]).is_empty() {
            errors.push(FieldError::required(format!("{place}.options[{index}]"), "must not be empty"));
        }
    }
}

fn validate_searches(config: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const MOST_PATHS: usize = 32;
    const MOST_CHARACTERS: usize = 2048;
    let paths: Vec<&str> = config.list(&["searches"]).iter().filter_map(Value::as_str).collect();
    let mut refuse = |text: String| {
        errors.push(FieldError::new(place, FieldReason::Invalid, config["searches"].to_string(), text));
    };
    if paths.len() > MOST_PATHS {
        refuse(format!("must not have more than {MOST_PATHS} search paths"));
    }
    if paths.join(" ").len() > MOST_CHARACTERS {
        refuse(format!(
            "must not have more than {MOST_CHARACTERS} characters (including spaces) in the search list"
        ));
    }
    for (index, path) in paths.into_iter().enumerate().filter(|(_, path)| *path != ".") {
        let path = path.strip_suffix('.').unwrap_or(path);
        push_all(errors, &format!("{place}[{index}]"), path, subdomain_with_underscores(path));
    }
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
        let has_seconds = toleration.given(&["tolerationSeconds"]).is_some();
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
