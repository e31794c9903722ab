//! Validation of probes, and of what containers do when they start and before they stop.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validateProbe`, `validateHandler`).

use serde_json::Value;

use super::containers::validate_port;
use super::metadata::push_all;
use super::names::{is_header_name, port_name};
use super::nodes::not_supported;
use crate::error::FieldError;
use crate::object::ObjectFields;

/// The probes of a container.
pub(super) const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
const HANDLERS_OF_PROBES: [&str; 4] = ["exec", "httpGet", "tcpSocket", "grpc"];
const HANDLERS_OF_LIFECYCLES: [&str; 4] = ["exec", "httpGet", "tcpSocket", "sleep"];

/// What is wrong with lifecycle and probes of a container, whose pod has this many seconds to end.
pub(super) fn validate_probes(container: &Value, grace_period: Option<i64>, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for hook in ["postStart", "preStop"] {
        if let Some(handler) = container.given(&["lifecycle", hook]) {
            let place = format!("{place}.lifecycle.{hook}");
            validate_handler(handler, &HANDLERS_OF_LIFECYCLES, grace_period, &place, &mut errors);
        }
    }
    for kind in PROBES {
        if let Some(probe) = container.given(&[kind]) {
            validate_probe(probe, kind, grace_period, &format!("{place}.{kind}"), &mut errors);
        }
    }
    errors
}

fn validate_probe(
    probe: &Value,
    kind: &str,
    grace_period: Option<i64>,
    place: &str,
    errors: &mut Vec<FieldError>,
) {
    const NUMBERS: [&str; 5] =
        ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
    validate_handler(probe, &HANDLERS_OF_PROBES, grace_period, place, errors);
    let mut refuse = |field: &str, number: i64, text: &str| {
        let place = format!("{place}.{field}");
        errors.push(FieldError::invalid_number(place, number, text));
    };
    for field in NUMBERS {
        if let Some(number) = probe.number(&[field]).filter(|number| *number < 0) {
            refuse(field, number, "must be greater than or equal to 0");
        }
    }
    let seconds = probe.number(&["terminationGracePeriodSeconds"]);
    if let Some(seconds) = seconds.filter(|seconds| *seconds <= 0) {
        refuse("terminationGracePeriodSeconds", seconds, "must be greater than 0");
    }
    let successes = probe.number(&["successThreshold"]).unwrap_or_default();
    match (kind, seconds) {
        ("readinessProbe", Some(seconds)) => {
            refuse("terminationGracePeriodSeconds", seconds, "must not be set for readinessProbes");
        }
        ("livenessProbe" | "startupProbe", _) if successes != 1 => {
            refuse("successThreshold", successes, "must be 1");
        }
        _ => {}
    }
}

fn validate_handler(
    handler: &Value,
    known: &[&str],
    grace_period: Option<i64>,
    place: &str,
    errors: &mut Vec<FieldError>,
) {
    let mut has_one = false;
    for kind in known {
        let Some(action) = handler.given(&[kind]) else { continue };
        let place = format!("{place}.{kind}");
        if has_one {
            errors.push(FieldError::forbidden(place, "may not specify more than 1 handler type"));
            continue;
        }
        has_one = true;
        match *kind {
            "exec" if action.list(&["command"]).is_empty() => {
                errors.push(FieldError::required(format!("{place}.command"), ""));
            }
            "httpGet" => validate_http(action, &place, errors),
            "tcpSocket" | "grpc" => validate_port_or_name(&action["port"], &format!("{place}.port"), errors),
            "sleep" => validate_sleep(action, grace_period, &place, errors),
            _ => {}
        }
    }
    if !has_one {
        errors.push(FieldError::required(place, "must specify a handler type"));
    }
}

fn validate_http(action: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const SCHEMES: [&str; 2] = ["HTTP", "HTTPS"];
    if action.text(&["path"]).is_empty() {
        errors.push(FieldError::required(format!("{place}.path"), ""));
    }
    validate_port_or_name(&action["port"], &format!("{place}.port"), errors);
    let scheme = action.text(&["scheme"]);
    if !SCHEMES.contains(&scheme) {
        errors.push(not_supported(&format!("{place}.scheme"), scheme, &SCHEMES));
    }
    for header in action.list(&["httpHeaders"]) {
        let name = header.text(&["name"]);
        if !is_header_name(name) {
            let text = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex \
                        used for validation is '[-A-Za-z0-9]+')";
            errors.push(FieldError::invalid_text(format!("{place}.httpHeaders"), name, text));
        }
    }
}

fn validate_port_or_name(port: &Value, place: &str, errors: &mut Vec<FieldError>) {
    match port.as_str() {
        Some(name) => push_all(errors, place, name, port_name(name)),
        None => errors.extend(validate_port(port.as_i64().unwrap_or_default(), place)),
    }
}

fn validate_sleep(action: &Value, grace_period: Option<i64>, place: &str, errors: &mut Vec<FieldError>) {
    let Some(grace_period) = grace_period else { return };
    let seconds = action.number(&["seconds"]).unwrap_or_default();
    if !(0..=grace_period).contains(&seconds) {
        let text =
            format!("must be non-negative and less than terminationGracePeriodSeconds ({grace_period})");
        errors.push(FieldError::invalid_number(place, seconds, text));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn probes_are_refused_with_the_texts_of_the_api_server() {
        let http = |port: Value| json!({"httpGet": {"path": "/", "port": port, "scheme": "HTTP"}, "successThreshold": 1});
        let cases = [
            (json!({"livenessProbe": http(json!(80)), "readinessProbe": http(json!("web"))}), vec![]),
            (
                json!({"livenessProbe": {"successThreshold": 2, "periodSeconds": -1, "exec": {}, "grpc": {"port": 1}}}),
                vec![
                    "c.livenessProbe.exec.command: Required value",
                    "c.livenessProbe.grpc: Forbidden: may not specify more than 1 handler type",
                    "c.livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0",
                    "c.livenessProbe.successThreshold: Invalid value: 2: must be 1",
                ],
            ),
            (
                json!({"readinessProbe": {"terminationGracePeriodSeconds": 0}}),
                vec![
                    "c.readinessProbe: Required value: must specify a handler type",
                    "c.readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
                    "c.readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must not be set for readinessProbes",
                ],
            ),
            (
                json!({"startupProbe": http(json!("A-very-long-port-name"))}),
                vec![
                    "c.startupProbe.httpGet.port: Invalid value: \"A-very-long-port-name\": must be no more than 15 bytes",
                    "c.startupProbe.httpGet.port: Invalid value: \"A-very-long-port-name\": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                ],
            ),
            (
                json!({"lifecycle": {"preStop": {"sleep": {"seconds": 31}}, "postStart": {"tcpSocket": {"port": 0}}}}),
                vec![
                    "c.lifecycle.postStart.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive",
                    "c.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
                ],
            ),
        ];
        for (container, expected) in cases {
            let errors = validate_probes(&container, Some(30), "c");
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(texts, expected, "{container}");
        }
    }
}
