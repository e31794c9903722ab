//! What is wrong with an Ingress.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/networking/validation/validation.go`.

use std::net::IpAddr;

use serde_json::Value;

use super::containers::validate_port;
use super::metadata::push_all;
use super::names::{label_1035, port_name, subdomain, wildcard_subdomain};
use super::nodes::not_supported;
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

/// What paths that are compared as they are must not hold, and must not end with.
const PARTS: [&str; 5] = ["//", "/./", "/../", "%2f", "%2F"];
const ENDS: [&str; 2] = ["/..", "/."];

/// What is wrong with an ingress.
pub(super) fn validate_ingress(ingress: &Object) -> Vec<FieldError> {
    let spec = &ingress["spec"];
    let mut errors = Vec::new();
    let rules = spec.list(&["rules"]);
    match spec.at(&["defaultBackend"]) {
        Some(backend) => errors.extend(validate_backend(backend, "spec.defaultBackend")),
        None if rules.is_empty() => {
            let text = "either `defaultBackend` or `rules` must be specified";
            errors.push(FieldError::new("spec", FieldReason::Invalid, "null", text));
        }
        None => {}
    }
    for (index, rule) in rules.iter().enumerate() {
        validate_rule(rule, &format!("spec.rules[{index}]"), &mut errors);
    }
    for (index, tls) in spec.list(&["tls"]).iter().enumerate() {
        for (number, host) in tls.list(&["hosts"]).iter().filter_map(Value::as_str).enumerate() {
            push_all(&mut errors, &format!("spec.tls[{index}].hosts[{number}]"), host, host_texts(host));
        }
        let secret = tls.text(&["secretName"]);
        if !secret.is_empty() {
            push_all(&mut errors, &format!("spec.tls[{index}].secretName"), secret, subdomain(secret));
        }
    }
    if let Some(class) = spec.at(&["ingressClassName"]).and_then(Value::as_str) {
        push_all(&mut errors, "spec.ingressClassName", class, subdomain(class));
    }
    errors
}

fn host_texts(host: &str) -> Vec<String> {
    if host.contains('*') { wildcard_subdomain(host) } else { subdomain(host) }
}

fn validate_rule(rule: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let host = rule.text(&["host"]);
    if !host.is_empty() {
        let field = format!("{place}.host");
        if host.parse::<IpAddr>().is_ok() {
            errors.push(FieldError::invalid_text(&field, host, "must be a DNS name, not an IP address"));
        }
        push_all(errors, &field, host, host_texts(host));
    }
    let Some(http) = rule.given(&["http"]) else { return };
    let paths = http.list(&["paths"]);
    if paths.is_empty() {
        errors.push(FieldError::required(format!("{place}.http.paths"), ""));
    }
    for (index, path) in paths.iter().enumerate() {
        validate_path(path, &format!("{place}.http.paths[{index}]"), errors);
    }
}

fn validate_path(path: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];
    let Some(path_type) = path.at(&["pathType"]).and_then(Value::as_str) else {
        errors.push(FieldError::required(format!("{place}.pathType"), "pathType must be specified"));
        return;
    };
    let (text, field) = (path.text(&["path"]), format!("{place}.path"));
    let mut refuse = |detail: String| errors.push(FieldError::invalid_text(&field, text, detail));
    let is_absolute = text.starts_with('/');
    match path_type {
        "Exact" | "Prefix" => {
            if !is_absolute {
                refuse("must be an absolute path".to_owned());
            }
            PARTS
                .iter()
                .filter(|part| text.contains(**part))
                .for_each(|part| refuse(format!("must not contain '{part}'")));
            ENDS.iter()
                .filter(|end| text.ends_with(**end))
                .for_each(|end| refuse(format!("cannot end with '{end}'")));
        }
        "ImplementationSpecific" if !text.is_empty() && !is_absolute => {
            refuse("must be an absolute path".to_owned());
        }
        "ImplementationSpecific" => {}
        other => errors.push(not_supported(&format!("{place}.pathType"), other, &TYPES)),
    }
    errors.extend(validate_backend(&path["backend"], &format!("{place}.backend")));
}

fn validate_backend(backend: &Value, place: &str) -> Vec<FieldError> {
    let given = |field: &str| backend.given(&[field]);
    let mut errors = Vec::new();
    match (given("resource"), given("service")) {
        (Some(_), Some(_)) => {
            errors.push(FieldError::invalid_text(place, "", "cannot set both resource and service backends"));
        }
        (Some(resource), None) => {
            for field in ["kind", "name"] {
                if resource.text(&[field]).is_empty() {
                    errors.push(FieldError::required(format!("{place}.resource.{field}"), ""));
                }
            }
        }
        (None, Some(service)) => {
            let name = service.text(&["name"]);
            if name.is_empty() {
                errors.push(FieldError::required(format!("{place}.service.name"), ""));
            } else {
                push_all(&mut errors, &format!("{place}.service.name"), name, label_1035(name));
            }
            let (port, number) =
                (service.text(&["port", "name"]), service.number(&["port", "number"]).unwrap_or_default());
            match (port.is_empty(), number) {
                (true, 0) => errors.push(FieldError::required(place, "port name or number is required")),
                (true, number) => {
                    errors.extend(validate_port(number, &format!("{place}.service.port.number")));
                }
                (false, 0) => {
                    push_all(&mut errors, &format!("{place}.service.port.name"), port, port_name(port));
                }
                (false, _) => {
                    let text = "cannot set both port name & port number";
                    errors.push(FieldError::invalid_text(place, "", text));
                }
            }
        }
        (None, None) => {
            errors.push(FieldError::invalid_text(place, "", "resource or service backend is required"));
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ingresses_are_refused_with_the_texts_of_the_api_server() {
        let backend = json!({"service": {"name": "web", "port": {"number": 80}}});
        let rule = |path: Value| json!({"rules": [{"http": {"paths": [path]}}]});
        let cases = [
            (json!({"defaultBackend": backend}), vec![]),
            (
                json!({}),
                vec!["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"],
            ),
            (rule(json!({"pathType": "Prefix", "path": "/", "backend": backend})), vec![]),
            (
                rule(json!({"path": "/", "backend": backend})),
                vec!["spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified"],
            ),
            (
                rule(json!({"pathType": "Exact", "path": "a//b/..", "backend": {}})),
                vec![
                    "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": must be an absolute path",
                    "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": must not contain '//'",
                    "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": cannot end with '/..'",
                    "spec.rules[0].http.paths[0].backend: Invalid value: \"\": resource or service backend is required",
                ],
            ),
            (
                rule(json!({"pathType": "Regex", "path": "/", "backend": backend})),
                vec![
                    "spec.rules[0].http.paths[0].pathType: Unsupported value: \"Regex\": supported values: \"Exact\", \"ImplementationSpecific\", \"Prefix\"",
                ],
            ),
            (
                json!({"rules": [{"host": "10.0.0.1", "http": {"paths": []}}]}),
                vec![
                    "spec.rules[0].host: Invalid value: \"10.0.0.1\": must be a DNS name, not an IP address",
                    "spec.rules[0].http.paths: Required value",
                ],
            ),
            (
                json!({"defaultBackend": {"service": {"name": "web", "port": {}}}}),
                vec!["spec.defaultBackend: Required value: port name or number is required"],
            ),
        ];
        for (spec, expected) in cases {
            let errors = validate_ingress(&json!({"spec": spec}));
            let texts: Vec<String> =
                errors.iter().map(|error| format!("{}: {}", error.field, error.message())).collect();
            assert_eq!(texts, expected, "{spec}");
        }
        let wildcard = validate_ingress(&json!({"spec": {"rules": [{"host": "a.*.b"}]}}));
        assert!(wildcard[0].message().contains("a wildcard DNS-1123 subdomain must start with '*.'"));
    }
}
