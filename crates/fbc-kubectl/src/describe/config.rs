//! Namespaces, configuration, access, services and budgets.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::events::events;
use super::page::{number, scalar};
use super::{Look, Page};
use crate::print::{none_if_empty, selector_text};

pub(super) fn namespace(page: &mut Page, object: &Value, look: &dyn Look, _now: Moment) {
    page.entry(0, "Name", object.name());
    page.object_labels(object);
    page.entry(0, "Status", object.text(&["status", "phase"]));
    let conditions = object.list(&["status", "conditions"]);
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus\tLastTransitionTime\tReason\tMessage");
        page.line(1, "----\t------\t------------------\t------\t-------");
        for condition in conditions {
            let text = |field: &str| condition.text(&[field]);
            let time = crate::age::rfc_1123(text("lastTransitionTime"));
            page.line(
                1,
                format!(
                    "{} \t{} \t{time} \t{} \t{} ",
                    text("type"),
                    text("status"),
                    text("reason"),
                    text("message")
                ),
            );
        }
    }
    let quotas = look.list("", "ResourceQuota", Some(object.name()));
    page.line(0, if quotas.is_empty() { "\nNo resource quota." } else { "\nResource Quotas" });
    for quota in &quotas {
        page.entry(1, "Name", quota.name());
        page.line(1, "Resource\tUsed\tHard");
        page.line(1, "--------\t---\t---");
        for (resource, hard) in quota.at(&["status", "hard"]).and_then(Value::as_object).into_iter().flatten()
        {
            let used = scalar(quota.at(&["status", "used", resource]), "0");
            page.line(1, format!("{resource}\t{used}\t{}", scalar(Some(hard), "0")));
        }
    }
    let limits = look.list("", "LimitRange", Some(object.name()));
    page.line(0, if limits.is_empty() { "\nNo LimitRange resource." } else { "\nResource Limits" });
    for limit in &limits {
        page.entry(1, "Name", limit.name());
    }
}

pub(super) fn service_account(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    page.names(object);
    page.object_labels(object);
    let names = object.list(&["imagePullSecrets"]).iter().map(|secret| secret.text(&["name"]).to_owned());
    page.entries(0, "Image pull secrets", names);
    events(page, object, look, now);
}

pub(super) fn config_map(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    page.names(object);
    page.object_labels(object);
    page.line(0, "\nData\n====");
    for (key, value) in object.at(&["data"]).and_then(Value::as_object).into_iter().flatten() {
        page.line(0, format!("{key}:\n----\n{}\n", value.as_str().unwrap_or_default()));
    }
    page.line(0, "\nBinaryData\n====");
    for (key, value) in object.at(&["binaryData"]).and_then(Value::as_object).into_iter().flatten() {
        page.line(0, format!("{key}: {} bytes", decoded_length(value)));
    }
    page.line(0, "");
    events(page, object, look, now);
}

pub(super) fn secret(page: &mut Page, object: &Value, _look: &dyn Look, _now: Moment) {
    page.names(object);
    page.object_labels(object);
    page.line(0, format!("\nType:\t{}", object.text(&["type"])));
    page.line(0, "\nData\n====");
    for (key, value) in object.at(&["data"]).and_then(Value::as_object).into_iter().flatten() {
        page.entry(0, key, format!("{} bytes", decoded_length(value)));
    }
}

/// The number of bytes behind base64 text.
fn decoded_length(value: &Value) -> usize {
    fbc_go::base64::decode(value.as_str().unwrap_or_default()).map_or(0, |bytes| bytes.len())
}

pub(super) fn role(page: &mut Page, object: &Value, _look: &dyn Look, _now: Moment) {
    page.entry(0, "Name", object.name());
    page.object_labels(object);
    page.line(0, "PolicyRule:");
    page.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
    page.line(1, "---------\t-----------------\t--------------\t-----");
    let mut rows: Vec<(String, String)> = Vec::new();
    for rule in object.list(&["rules"]) {
        let list = |field: &str| {
            let texts: Vec<&str> = rule.list(&[field]).iter().filter_map(Value::as_str).collect();
            format!("[{}]", texts.join(" "))
        };
        let tail = format!("{}\t{}\t{}", list("nonResourceURLs"), list("resourceNames"), list("verbs"));
        let before = rows.len();
        for group in rule.list(&["apiGroups"]).iter().filter_map(Value::as_str) {
            for resource in rule.list(&["resources"]).iter().filter_map(Value::as_str) {
                // `deployments/scale` of group `apps` is written `deployments.apps/scale`.
                let (resource, part) = resource
                    .split_once('/')
                    .map_or((resource, String::new()), |(resource, part)| (resource, format!("/{part}")));
                let group = if group.is_empty() { String::new() } else { format!(".{group}") };
                rows.push((format!("{resource}{group}{part}"), tail.clone()));
            }
        }
        if rows.len() == before {
            rows.push((String::new(), tail));
        }
    }
    rows.sort();
    for (resource, tail) in rows {
        page.line(1, format!("{resource}\t{tail}"));
    }
}

pub(super) fn role_binding(page: &mut Page, object: &Value, _look: &dyn Look, _now: Moment) {
    page.entry(0, "Name", object.name());
    page.object_labels(object);
    page.line(0, "Role:");
    page.entry(1, "Kind", object.text(&["roleRef", "kind"]));
    page.entry(1, "Name", object.text(&["roleRef", "name"]));
    page.line(0, "Subjects:");
    page.line(1, "Kind\tName\tNamespace");
    page.line(1, "----\t----\t---------");
    for subject in object.list(&["subjects"]) {
        let text = |field: &str| subject.text(&[field]);
        page.line(1, format!("{}\t{}\t{}", text("kind"), text("name"), text("namespace")));
    }
}

pub(super) fn service(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    let spec = |field: &str| scalar(object.at(&["spec", field]), "");
    let list = |field: &str| {
        object.list(&["spec", field]).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
    };
    page.names(object);
    page.object_labels(object);
    page.entry(0, "Selector", none_if_empty(selector_text(&object["spec"]["selector"])));
    page.entry(0, "Type", spec("type"));
    page.entry(0, "IP Family Policy", none_if_empty(spec("ipFamilyPolicy")));
    page.entry(0, "IP Families", none_if_empty(list("ipFamilies")));
    page.entry(0, "IP", spec("clusterIP"));
    page.entry(0, "IPs", none_if_empty(list("clusterIPs")));
    let endpoints = look.list("", "Endpoints", Some(object.namespace()));
    let endpoints = endpoints.iter().find(|endpoints| endpoints.name() == object.name());
    for port in object.list(&["spec", "ports"]) {
        let name = scalar(port.at(&["name"]), "<unset>");
        let protocol = scalar(port.at(&["protocol"]), "TCP");
        page.entry(0, "Port", format!("{name}\t{}/{protocol}", number(port, &["port"])));
        page.entry(0, "TargetPort", format!("{}/{protocol}", scalar(port.at(&["targetPort"]), "0")));
        if let Some(node_port) = port.number(&["nodePort"]).filter(|node_port| *node_port > 0) {
            page.entry(0, "NodePort", format!("{name}\t{node_port}/{protocol}"));
        }
        page.entry(0, "Endpoints", endpoints.map(crate::print::endpoints_text).unwrap_or_default());
    }
    page.entry(0, "Session Affinity", scalar(object.at(&["spec", "sessionAffinity"]), "None"));
    page.entry(
        0,
        "Internal Traffic Policy",
        scalar(object.at(&["spec", "internalTrafficPolicy"]), "Cluster"),
    );
    events(page, object, look, now);
}

pub(super) fn budget(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    page.names(object);
    for (field, title) in [("minAvailable", "Min available"), ("maxUnavailable", "Max unavailable")] {
        if let Some(limit) = object.at(&["spec", field]) {
            page.entry(0, title, scalar(Some(limit), ""));
        }
    }
    page.entry(0, "Selector", none_if_empty(selector_text(&object["spec"]["selector"])));
    page.line(0, "Status:");
    for (field, title) in [
        ("disruptionsAllowed", "Allowed disruptions"),
        ("currentHealthy", "Current"),
        ("desiredHealthy", "Desired"),
        ("expectedPods", "Total"),
    ] {
        page.entry(2, title, number(object, &["status", field]));
    }
    events(page, object, look, now);
}
