//! Validation of services, configuration, roles and bindings, and other small kinds.
//!
//! Sources: `kubernetes/kubernetes:pkg/apis/{core,rbac,policy,scheduling}/validation/validation.go`,
//! `…/pkg/apis/scheduling/v1/helpers.go`.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::containers::validate_port;
use super::metadata::{push_all, validate_labels, validate_selector};
use super::names::{NameForm, config_key, label};
use super::nodes::not_supported;
use super::pods::duplicate;
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// What is wrong with a service.
pub(super) fn validate_service(service: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let ports = service.list(&["spec", "ports"]);
    let kind = service.text(&["spec", "type"]);
    let is_headless = service.text(&["spec", "clusterIP"]) == "None";
    if ports.is_empty() && !is_headless && kind != "ExternalName" {
        errors.push(FieldError::required("spec.ports", ""));
    }
    if kind == "ExternalName" && service.text(&["spec", "externalName"]).is_empty() {
        errors.push(FieldError::required("spec.externalName", ""));
    }
    let mut names = HashSet::new();
    for (index, port) in ports.iter().enumerate() {
        let place = format!("spec.ports[{index}]");
        let name = port.text(&["name"]);
        if name.is_empty() {
            if ports.len() > 1 {
                errors.push(FieldError::required(format!("{place}.name"), ""));
            }
        } else if !names.insert(name) {
            errors.push(duplicate(format!("{place}.name"), name));
        } else {
            push_all(&mut errors, &format!("{place}.name"), name, label(name));
        }
        let number = port.number(&["port"]).unwrap_or_default();
        errors.extend(validate_port(number, &format!("{place}.port")));
        let (protocol, protocols) = (port.text(&["protocol"]), ["SCTP", "TCP", "UDP"]);
        if !protocols.contains(&protocol) {
            errors.push(not_supported(&format!("{place}.protocol"), protocol, &protocols));
        }
    }
    errors.extend(validate_labels(service.at(&["spec", "selector"]), "spec.selector"));
    let types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    if !types.contains(&kind) {
        errors.push(not_supported("spec.type", kind, &types));
    }
    errors
}

/// What of a service must not change.
pub(super) fn validate_service_update(old: &Object, new: &Object) -> Vec<FieldError> {
    let address = |object: &Object| object.text(&["spec", "clusterIP"]).to_owned();
    let (before, after) = (address(old), address(new));
    let keeps_type = [old, new].iter().all(|service| service.text(&["spec", "type"]) != "ExternalName");
    if keeps_type && !before.is_empty() && before != after {
        let value = json!([after]).to_string();
        let text = "may not change once set";
        return vec![FieldError::new("spec.clusterIPs[0]", FieldReason::Invalid, value, text)];
    }
    Vec::new()
}

/// What is wrong with a configuration map or a secret.
pub(super) fn validate_configuration(object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut size = 0;
    for field in ["data", "binaryData"] {
        for (key, value) in object.get(field).and_then(Value::as_object).into_iter().flat_map(Map::iter) {
            push_all(&mut errors, &format!("{field}[{key}]"), key, config_key(key));
            if field == "binaryData" && object.at(&["data", key]).is_some() {
                let text = format!("duplicate of key present in data: {key}");
                errors.push(FieldError::invalid_text(format!("binaryData[{key}]"), key, text));
            }
            let text = value.as_str().unwrap_or_default();
            let is_encoded = field == "binaryData" || object.kind() == "Secret";
            size += if is_encoded { decoded_length(text) } else { text.len() };
        }
    }
    if size > 1024 * 1024 {
        let field = if object.kind() == "Secret" { "data" } else { "" };
        errors.push(FieldError::new(field, FieldReason::TooLong, "", "may not be more than 1048576 bytes"));
    }
    errors
}

/// How many bytes base64 stands for.
fn decoded_length(text: &str) -> usize {
    let characters = text.bytes().filter(|byte| !matches!(byte, b'=' | b'\r' | b'\n')).count();
    characters * 3 / 4
}

/// What of a configuration map or a secret must not change.
pub(super) fn validate_configuration_update(old: &Object, new: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if old.get("immutable") == Some(&json!(true)) {
        if new.get("immutable") != Some(&json!(true)) {
            errors.push(FieldError::forbidden("immutable", "field is immutable when `immutable` is set"));
        }
        for field in ["data", "binaryData"] {
            if old.get(field) != new.get(field) {
                errors.push(FieldError::forbidden(field, "field is immutable when `immutable` is set"));
            }
        }
    }
    if new.kind() == "Secret" && old.get("type") != new.get("type") {
        errors.push(FieldError::invalid_text("type", new.text(&["type"]), "field is immutable"));
    }
    errors
}

/// What is wrong with the rules of a role.
pub(super) fn validate_role(role: &Object) -> Vec<FieldError> {
    let in_cluster = role.kind() == "ClusterRole";
    let mut errors = Vec::new();
    for (index, rule) in role.list(&["rules"]).iter().enumerate() {
        let place = format!("rules[{index}]");
        if rule.list(&["verbs"]).is_empty() {
            errors.push(FieldError::required(
                format!("{place}.verbs"),
                "verbs must contain at least one value",
            ));
        }
        let paths = rule.list(&["nonResourceURLs"]);
        if !paths.is_empty() {
            let value = Value::from(paths).to_string();
            let of_paths = format!("{place}.nonResourceURLs");
            if !in_cluster {
                let text = "namespaced rules cannot apply to non-resource URLs";
                errors.push(FieldError::new(of_paths, FieldReason::Invalid, value, text));
            } else if ["apiGroups", "resources", "resourceNames"]
                .iter()
                .any(|list| !rule.list(&[list]).is_empty())
            {
                let text = "rules cannot apply to both regular resources and non-resource URLs";
                errors.push(FieldError::new(of_paths, FieldReason::Invalid, value, text));
            }
            continue;
        }
        for (list, text) in [
            ("apiGroups", "resource rules must supply at least one api group"),
            ("resources", "resource rules must supply at least one resource"),
        ] {
            if rule.list(&[list]).is_empty() {
                errors.push(FieldError::required(format!("{place}.{list}"), text));
            }
        }
    }
    errors
}

/// What is wrong with the binding of a role.
pub(super) fn validate_binding(binding: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let group = binding.text(&["roleRef", "apiGroup"]);
    if group != RBAC_GROUP {
        errors.push(not_supported("roleRef.apiGroup", group, &[RBAC_GROUP]));
    }
    let (kind, name) = (binding.text(&["roleRef", "kind"]), binding.text(&["roleRef", "name"]));
    let kinds: &[&str] =
        if binding.kind() == "RoleBinding" { &["ClusterRole", "Role"] } else { &["ClusterRole"] };
    if !kinds.contains(&kind) {
        errors.push(not_supported("roleRef.kind", kind, kinds));
    }
    if name.is_empty() {
        errors.push(FieldError::required("roleRef.name", ""));
    } else {
        push_all(&mut errors, "roleRef.name", name, NameForm::PathSegment.check(name, false));
    }
    for (index, subject) in binding.list(&["subjects"]).iter().enumerate() {
        errors.extend(validate_subject(
            subject,
            binding.kind() == "RoleBinding",
            &format!("subjects[{index}]"),
        ));
    }
    errors
}

fn validate_subject(subject: &Value, in_namespace: bool, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (name, group) = (subject.text(&["name"]), subject.text(&["apiGroup"]));
    if name.is_empty() {
        errors.push(FieldError::required(format!("{place}.name"), ""));
    }
    match subject.text(&["kind"]) {
        "ServiceAccount" => {
            if !name.is_empty() {
                push_all(&mut errors, &format!("{place}.name"), name, super::names::subdomain(name));
            }
            if !group.is_empty() {
                errors.push(not_supported(&format!("{place}.apiGroup"), group, &[""]));
            }
            if !in_namespace && subject.text(&["namespace"]).is_empty() {
                errors.push(FieldError::required(format!("{place}.namespace"), ""));
            }
        }
        "User" | "Group" => {
            if group != RBAC_GROUP {
                errors.push(not_supported(&format!("{place}.apiGroup"), group, &[RBAC_GROUP]));
            }
        }
        other => {
            errors.push(not_supported(&format!("{place}.kind"), other, &["ServiceAccount", "User", "Group"]));
        }
    }
    errors
}

/// What of a binding must not change.
pub(super) fn validate_binding_update(old: &Object, new: &Object) -> Vec<FieldError> {
    if old.get("roleRef") == new.get("roleRef") {
        return Vec::new();
    }
    let text = |field: &str| json!(new.text(&["roleRef", field])).to_string();
    let value =
        format!("{{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}", text("apiGroup"), text("kind"), text("name"));
    vec![FieldError::new("roleRef", FieldReason::Invalid, value, "cannot change roleRef")]
}

/// What is wrong with a disruption budget.
pub(super) fn validate_budget(budget: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let given = |field: &str| budget.given(&["spec", field]);
    if given("minAvailable").is_some() && given("maxUnavailable").is_some() {
        let part = |field: &str| given(field).map_or_else(|| "null".to_owned(), Value::to_string);
        let spec = format!(
            "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{}}}",
            part("minAvailable"),
            part("selector"),
            part("maxUnavailable"),
            part("unhealthyPodEvictionPolicy")
        );
        let text = "minAvailable and maxUnavailable cannot be both set";
        errors.push(FieldError::new("spec", FieldReason::Invalid, spec, text));
    }
    for field in ["minAvailable", "maxUnavailable"] {
        let place = format!("spec.{field}");
        match given(field) {
            Some(Value::Number(number)) if number.as_i64().is_some_and(|number| number < 0) => {
                let text = "must be greater than or equal to 0";
                errors.push(FieldError::new(place, FieldReason::Invalid, number.to_string(), text));
            }
            Some(Value::String(text)) => {
                let digits = text
                    .strip_suffix('%')
                    .filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
                if digits.is_none() {
                    let detail = "a valid percent string must be a numeric string followed by an ending '%' (e.g. \
                                  '1%',  or '93%', regex used for validation is '[0-9]+%')";
                    errors.push(FieldError::invalid_text(place, text, detail));
                } else if digits.and_then(|digits| digits.parse::<u64>().ok()).is_none_or(|part| part > 100) {
                    errors.push(FieldError::invalid_text(place, text, "must not be greater than 100%"));
                }
            }
            _ => {}
        }
    }
    let (policy, policies) =
        (budget.text(&["spec", "unhealthyPodEvictionPolicy"]), ["AlwaysAllow", "IfHealthyBudget"]);
    if !policy.is_empty() && !policies.contains(&policy) {
        errors.push(not_supported("spec.unhealthyPodEvictionPolicy", policy, &policies));
    }
    errors.extend(validate_selector(budget.at(&["spec", "selector"]), "spec.selector"));
    errors
}

/// The classes of a cluster's own components with their values.
const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];
/// The highest priority that users may give.
const HIGHEST_PRIORITY: i64 = 1_000_000_000;

/// What is wrong with a class of priorities: only a cluster's own classes are above all others, and called `system-`.
pub(super) fn validate_priority_class(class: &Object) -> Vec<FieldError> {
    let (name, value) = (class.name(), class.number(&["value"]).unwrap_or_default());
    if !name.starts_with("system-") {
        let detail = format!("maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}");
        let error = (value > HIGHEST_PRIORITY).then(|| FieldError::forbidden("value", detail));
        return error.into_iter().collect();
    }
    let fault = match SYSTEM_CLASSES.iter().find(|(known, _)| *known == name) {
        None => format!("{name} is not a known system priority class"),
        Some((_, known)) if *known != value => format!("value of {name} PriorityClass must be {known}"),
        Some(_) if class["globalDefault"] == true => {
            format!("globalDefault of {name} PriorityClass must be false")
        }
        Some(_) => return Vec::new(),
    };
    let detail = format!(
        "priority class names with 'system-' prefix are reserved for system use only. error: {fault}"
    );
    vec![FieldError::forbidden("metadata.name", detail)]
}

/// What of a class of priorities must not change.
pub(super) fn validate_priority_class_update(old: &Object, new: &Object) -> Vec<FieldError> {
    let is_same = old.number(&["value"]) == new.number(&["value"]);
    let error = (!is_same).then(|| FieldError::forbidden("value", "may not be changed in an update."));
    error.into_iter().collect()
}
