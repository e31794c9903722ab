//! Config maps, secrets, service accounts, quotas, and webhook configurations.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::cluster::{CREATED_AT, created_at};
use super::{Column, Definition, always, name, object_age, scalar};

pub(super) const TABLES: &[Definition] = &[
    Definition { group: "", kind: "ConfigMap", columns: CONFIG_MAP, cells: config_map },
    Definition { group: "", kind: "Secret", columns: SECRET, cells: secret },
    Definition { group: "", kind: "ServiceAccount", columns: SERVICE_ACCOUNT, cells: service_account },
    Definition { group: "", kind: "ResourceQuota", columns: QUOTA, cells: quota },
    Definition { group: "", kind: "LimitRange", columns: CREATED_AT, cells: created_at },
    Definition {
        group: "admissionregistration.k8s.io",
        kind: "ValidatingWebhookConfiguration",
        columns: WEBHOOKS,
        cells: webhooks,
    },
    Definition {
        group: "admissionregistration.k8s.io",
        kind: "MutatingWebhookConfiguration",
        columns: WEBHOOKS,
        cells: webhooks,
    },
];

const CONFIG_MAP: &[Column] = &[always("NAME"), always("DATA"), always("AGE")];
const SECRET: &[Column] = &[always("NAME"), always("TYPE"), always("DATA"), always("AGE")];
const SERVICE_ACCOUNT: &[Column] = &[always("NAME"), always("SECRETS"), always("AGE")];
const QUOTA: &[Column] = &[always("NAME"), always("REQUEST"), always("LIMIT"), always("AGE")];
const WEBHOOKS: &[Column] = &[always("NAME"), always("WEBHOOKS"), always("AGE")];

fn entries(object: &Value, fields: &[&str]) -> String {
    let size = |field: &&str| object.at(&[field]).and_then(Value::as_object).map_or(0, serde_json::Map::len);
    fields.iter().map(size).sum::<usize>().to_string()
}

fn config_map(object: &Value, now: Moment) -> Vec<String> {
    vec![name(object), entries(object, &["data", "binaryData"]), object_age(object, now)]
}

fn secret(object: &Value, now: Moment) -> Vec<String> {
    vec![name(object), object.text(&["type"]).to_owned(), entries(object, &["data"]), object_age(object, now)]
}

fn service_account(object: &Value, now: Moment) -> Vec<String> {
    vec![name(object), object.list(&["secrets"]).len().to_string(), object_age(object, now)]
}

fn quota(object: &Value, now: Moment) -> Vec<String> {
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (resource, hard) in object.at(&["status", "hard"]).and_then(Value::as_object).into_iter().flatten() {
        let used = scalar(object.at(&["status", "used", resource])).unwrap_or_else(|| "0".to_owned());
        let entry = format!("{resource}: {used}/{}", scalar(Some(hard)).unwrap_or_default());
        if resource.starts_with("limits") { limits.push(entry) } else { requests.push(entry) }
    }
    vec![name(object), requests.join(", "), limits.join(", "), object_age(object, now)]
}

fn webhooks(object: &Value, now: Moment) -> Vec<String> {
    vec![name(object), object.list(&["webhooks"]).len().to_string(), object_age(object, now)]
}
