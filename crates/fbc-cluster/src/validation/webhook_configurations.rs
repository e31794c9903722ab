//! What is wrong with a configuration of admission webhooks.
//!
//! Sources: `kubernetes/kubernetes:pkg/apis/admissionregistration/validation/validation.go`,
//! `kubernetes/apiserver:pkg/util/webhook/validation.go`.

use std::collections::HashSet;

use serde_json::Value;

use super::metadata::validate_selector;
use super::names::{label_1035, subdomain};
use super::nodes::not_supported;
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

/// The versions of reviews that the API server sends.
const REVIEWS: [&str; 2] = ["v1", "v1beta1"];

/// What is wrong with the webhooks of a configuration.
pub(super) fn validate_webhooks(configuration: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut names = HashSet::new();
    for (index, webhook) in configuration.list(&["webhooks"]).iter().enumerate() {
        let place = format!("webhooks[{index}]");
        validate_webhook(webhook, &place, configuration.kind(), &mut errors);
        validate_reviews(webhook, &format!("{place}.admissionReviewVersions"), &mut errors);
        let name = webhook.text(&["name"]);
        if !name.is_empty() && !names.insert(name) {
            let value = format!("{name:?}");
            errors.push(FieldError::new(format!("{place}.name"), FieldReason::Duplicate, value, ""));
        }
    }
    errors
}

fn validate_webhook(webhook: &Value, place: &str, kind: &str, errors: &mut Vec<FieldError>) {
    validate_name(webhook.text(&["name"]), &format!("{place}.name"), errors);
    for (index, rule) in webhook.list(&["rules"]).iter().enumerate() {
        validate_rule(rule, &format!("{place}.rules[{index}]"), errors);
    }
    let mut choices: Vec<(&str, &[&str])> =
        vec![("failurePolicy", &["Fail", "Ignore"]), ("matchPolicy", &["Equivalent", "Exact"])];
    if kind == "MutatingWebhookConfiguration" {
        choices.push(("reinvocationPolicy", &["IfNeeded", "Never"]));
    }
    choices.push(("sideEffects", &["None", "NoneOnDryRun"]));
    for (field, values) in choices {
        let value = webhook.text(&[field]);
        let field = format!("{place}.{field}");
        if !value.is_empty() && !values.contains(&value) {
            errors.push(not_supported(&field, value, values));
        } else if value.is_empty() && values.contains(&"NoneOnDryRun") {
            let text = format!("must specify one of {}", values.join(", "));
            errors.push(FieldError::required(field, text));
        }
    }
    if let Some(seconds) = webhook.number(&["timeoutSeconds"]).filter(|seconds| !(1..=30).contains(seconds)) {
        let text = "the timeout value must be between 1 and 30 seconds";
        let field = format!("{place}.timeoutSeconds");
        errors.push(FieldError::invalid_number(field, seconds, text));
    }
    for field in ["namespaceSelector", "objectSelector"] {
        errors.extend(validate_selector(webhook.at(&[field]), &format!("{place}.{field}")));
    }
    validate_client(&webhook["clientConfig"], &format!("{place}.clientConfig"), errors);
}

/// Names are domains of three parts or more (`kubernetes/apimachinery:pkg/util/validation/validation.go`).
fn validate_name(name: &str, place: &str, errors: &mut Vec<FieldError>) {
    let texts = subdomain(name);
    if name.is_empty() {
        errors.push(FieldError::required(place, ""));
    } else if !texts.is_empty() {
        errors.push(FieldError::invalid_text(place, name, texts.join(",")));
    } else if name.split('.').count() < 3 {
        let text = "should be a domain with at least three segments separated by dots";
        errors.push(FieldError::invalid_text(place, name, text));
    }
}

fn validate_rule(rule: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
    let texts = |field: &str| rule.list(&[field]).iter().filter_map(Value::as_str).collect::<Vec<_>>();
    for (field, others) in
        [("operations", "operations"), ("apiGroups", "API groups"), ("apiVersions", "API versions")]
    {
        let (values, place) = (texts(field), format!("{place}.{field}"));
        if values.is_empty() {
            errors.push(FieldError::required(&place, ""));
        }
        if values.len() > 1 && values.contains(&"*") {
            let text = format!("if '*' is present, must not specify other {others}");
            let value = rule[field].to_string();
            errors.push(FieldError::new(&place, FieldReason::Invalid, value, text));
        }
        for (index, value) in values.iter().enumerate() {
            let place = format!("{place}[{index}]");
            if field == "operations" && !OPERATIONS.contains(value) {
                errors.push(not_supported(&place, value, &OPERATIONS));
            } else if field == "apiVersions" && value.is_empty() {
                errors.push(FieldError::required(place, ""));
            }
        }
    }
    validate_resources(&texts("resources"), &rule["resources"], &format!("{place}.resources"), errors);
    let (scope, scopes) = (rule.text(&["scope"]), ["*", "Cluster", "Namespaced"]);
    if !scope.is_empty() && !scopes.contains(&scope) {
        errors.push(not_supported(&format!("{place}.scope"), scope, &scopes));
    }
}

fn validate_resources(resources: &[&str], written: &Value, place: &str, errors: &mut Vec<FieldError>) {
    if resources.is_empty() {
        errors.push(FieldError::required(place, ""));
    }
    let (mut whole, mut everywhere) = (Vec::new(), Vec::new());
    for (index, resource) in resources.iter().enumerate() {
        let field = format!("{place}[{index}]");
        if resource.is_empty() {
            errors.push(FieldError::required(field, ""));
            continue;
        }
        let Some((name, part)) = resource.split_once('/') else { continue };
        let mut refuse = |wider: String| {
            let text = format!("if '{wider}' is present, must not specify {resource}");
            errors.push(FieldError::invalid_text(&field, resource, text));
        };
        if whole.contains(&name) {
            refuse(format!("{name}/*"));
        }
        if everywhere.contains(&part) {
            refuse(format!("*/{part}"));
        }
        whole.extend(Some(name).filter(|_| part == "*"));
        everywhere.extend(Some(part).filter(|_| name == "*"));
    }
    let mut refuse = |text: &str| {
        errors.push(FieldError::new(place, FieldReason::Invalid, written.to_string(), text));
    };
    if resources.len() > 1 && resources.contains(&"*/*") {
        refuse("if '*/*' is present, must not specify other resources");
    }
    let has_plain = resources.iter().any(|resource| *resource != "*" && !resource.contains('/'));
    if resources.contains(&"*") && has_plain {
        refuse("if '*' is present, must not specify other resources without subresources");
    }
}

fn validate_client(client: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let given = |field: &str| client.given(&[field]);
    match (given("url"), given("service")) {
        (Some(url), None) => validate_url(url.as_str().unwrap_or_default(), &format!("{place}.url"), errors),
        (None, Some(service)) => {
            for field in ["name", "namespace"] {
                if service.text(&[field]).is_empty() {
                    let text = format!("service {field} is required");
                    errors.push(FieldError::required(format!("{place}.service.{field}"), text));
                }
            }
            let port = service.number(&["port"]).unwrap_or(443);
            if !(1..=65_535).contains(&port) {
                let text = "port is not valid: must be between 1 and 65535, inclusive";
                let field = format!("{place}.service.port");
                errors.push(FieldError::invalid_number(field, port, text));
            }
            validate_service_path(service.text(&["path"]), &format!("{place}.service.path"), errors);
        }
        _ => errors.push(FieldError::required(place, "exactly one of url or service is required")),
    }
}

fn validate_url(url: &str, place: &str, errors: &mut Vec<FieldError>) {
    const FORM: &str = "; desired format: https://host[:port]/path";
    let mut refuse = |value: &str, text: String| errors.push(FieldError::invalid_text(place, value, text));
    let (url, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (url, query) = url.split_once('?').unwrap_or((url, ""));
    let (scheme, rest) = url.split_once("://").unwrap_or(("", ""));
    let authority = rest.split('/').next().unwrap_or_default();
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if scheme != "https" {
        refuse(scheme, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if host.is_empty() {
        refuse(host, format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        refuse(user, "user information is not permitted in the URL".to_owned());
    }
    if !fragment.is_empty() {
        refuse(fragment, "fragments are not permitted in the URL".to_owned());
    }
    if !query.is_empty() {
        refuse(query, "query parameters are not permitted in the URL".to_owned());
    }
}

fn validate_service_path(path: &str, place: &str, errors: &mut Vec<FieldError>) {
    let mut refuse = |text: String| errors.push(FieldError::invalid_text(place, path, text));
    if matches!(path, "" | "/") {
        return;
    }
    if path == "//" {
        return refuse("segment[0] may not be empty".to_owned());
    }
    if !path.starts_with('/') {
        refuse("must start with a '/'".to_owned());
    }
    // The reference skips the first character, whatever it is.
    let rest = path.get(1..).unwrap_or_default();
    for (index, segment) in rest.strip_suffix('/').unwrap_or(rest).split('/').enumerate() {
        if segment.is_empty() {
            refuse(format!("segment[{index}] may not be empty"));
            continue;
        }
        subdomain(segment).into_iter().for_each(|text| refuse(format!("segment[{index}]: {text}")));
    }
}

fn validate_reviews(webhook: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let written = webhook.list(&["admissionReviewVersions"]);
    let versions: Vec<&str> = written.iter().filter_map(Value::as_str).collect();
    if versions.is_empty() {
        errors.push(FieldError::required(place, format!("must specify one of {}", REVIEWS.join(", "))));
        return;
    }
    let mut seen = HashSet::new();
    for (index, version) in versions.iter().enumerate() {
        let field = format!("{place}[{index}]");
        if !seen.insert(*version) {
            errors.push(FieldError::invalid_text(field, version, "duplicate version"));
            continue;
        }
        let texts = label_1035(version).into_iter();
        errors.extend(texts.map(|text| FieldError::invalid_text(&field, version, text)));
    }
    if !versions.iter().any(|version| REVIEWS.contains(version)) {
        let text = format!("must include at least one of {}", REVIEWS.join(", "));
        let value = webhook["admissionReviewVersions"].to_string();
        errors.push(FieldError::new(place, FieldReason::Invalid, value, text));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn webhooks_are_refused_with_the_texts_of_the_api_server() {
        let good = json!({
            "name": "a.b.c", "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "clientConfig": {"service": {"name": "s", "namespace": "n", "port": 443}},
            "rules": [{"operations": ["CREATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["x"]}],
        });
        let with = |path: &[&str], value: Value| {
            let mut webhook = good.clone();
            webhook.set(path, value);
            webhook
        };
        let cases = [
            (good.clone(), vec![]),
            (
                with(&["name"], json!("a.b")),
                vec![
                    "webhooks[0].name: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots",
                ],
            ),
            (
                with(&["sideEffects"], json!("")),
                vec!["webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun"],
            ),
            (
                with(&["sideEffects"], json!("Some")),
                vec![
                    "webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\"",
                ],
            ),
            (
                with(&["timeoutSeconds"], json!(31)),
                vec![
                    "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
                ],
            ),
            (
                with(&["clientConfig"], json!({})),
                vec!["webhooks[0].clientConfig: Required value: exactly one of url or service is required"],
            ),
            (
                with(&["clientConfig"], json!({"url": "http://x/y"})),
                vec![
                    "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[:port]/path",
                ],
            ),
            (
                with(&["clientConfig"], json!({"url": "https://me:x@host:1/y?a=b#c"})),
                vec![
                    "webhooks[0].clientConfig.url: Invalid value: \"me:x\": user information is not permitted in the URL",
                    "webhooks[0].clientConfig.url: Invalid value: \"c\": fragments are not permitted in the URL",
                    "webhooks[0].clientConfig.url: Invalid value: \"a=b\": query parameters are not permitted in the URL",
                ],
            ),
            (
                with(&["clientConfig"], json!({"service": {"name": "s", "namespace": "n", "path": "/a//b"}})),
                vec![
                    "webhooks[0].clientConfig.service.path: Invalid value: \"/a//b\": segment[1] may not be empty",
                ],
            ),
            (
                with(&["admissionReviewVersions"], json!(["v2"])),
                vec![
                    "webhooks[0].admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1",
                ],
            ),
            (
                with(
                    &["rules"],
                    json!([{
                        "operations": ["*", "PATCH"], "apiGroups": [""], "apiVersions": [""],
                        "resources": ["pods/*", "pods/status", "*", "pods"],
                    }]),
                ),
                vec![
                    "webhooks[0].rules[0].operations: Invalid value: [\"*\",\"PATCH\"]: if '*' is present, must not specify other operations",
                    "webhooks[0].rules[0].operations[1]: Unsupported value: \"PATCH\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
                    "webhooks[0].rules[0].apiVersions[0]: Required value",
                    "webhooks[0].rules[0].resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status",
                    "webhooks[0].rules[0].resources: Invalid value: [\"pods/*\",\"pods/status\",\"*\",\"pods\"]: if '*' is present, must not specify other resources without subresources",
                ],
            ),
        ];
        for (webhook, expected) in cases {
            let configuration = json!({"kind": "ValidatingWebhookConfiguration", "webhooks": [webhook]});
            let errors = validate_webhooks(&configuration);
            let texts: Vec<String> =
                errors.iter().map(|error| format!("{}: {}", error.field, error.message())).collect();
            assert_eq!(texts, expected, "{configuration}");
        }
    }
}
