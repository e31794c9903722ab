//! Admission and conversion webhooks of an operator.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/install/webhook.go`,
//! `pkg/controller/operators/olm/apiservices.go` (`areWebhooksAvailable`, `cleanUpRemovedWebhooks`),
//! `staging/api/pkg/operators/v1alpha1/clusterserviceversion_types.go`.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Propagation};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_go::base64;
use fbc_kubernetes::types::Named;
use serde_json::{Map, Value, json};

use super::super::csv::object::webhooks as webhooks_of;
use super::super::hash::deep_hash;
use super::super::owners::{is_labelled_by, labels};
use super::Failure;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{
    EXTENSIONS, GROUP, MANAGED, OPERATOR_GROUP, OPERATOR_GROUP_UID_PREFIX, WEBHOOK_GENERATE_NAME,
    WEBHOOK_HASH,
};

const ADMISSION: &str = "admissionregistration.k8s.io";
const KINDS: [&str; 2] = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];
const DESCRIPTION: Named = Named::new("operators", "WebhookDescription");

/// The kind of configuration for a webhook; none for one that converts.
fn configuration_kind(description: &Value) -> Option<&'static str> {
    match description.text(&["type"]) {
        "ValidatingAdmissionWebhook" => Some("ValidatingWebhookConfiguration"),
        "MutatingAdmissionWebhook" => Some("MutatingWebhookConfiguration"),
        _ => None,
    }
}

/// Refuses webhooks that share a name or ask for what they must not see (V0-105).
///
/// # Errors
/// The text of the reference.
pub fn check(version: &Object) -> Result<(), LookError> {
    let mut names = Vec::new();
    for description in webhooks_of(version) {
        let name = description.text(&["generateName"]);
        if names.contains(&name) {
            return fail("CSV contains repeated WebhookDescription name");
        }
        names.push(name);
        description.list(&["rules"]).iter().try_for_each(check_rule)?;
    }
    Ok(())
}

fn check_rule(rule: &Value) -> Result<(), LookError> {
    let has = |list: &str, text: &str| rule.list(&[list]).iter().any(|one| one == text);
    let own_kinds = ["*", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
    let text = if has("apiGroups", "*") {
        "webhook rules cannot include all groups"
    } else if has("apiGroups", GROUP) {
        "webhook rules cannot include the OLM group"
    } else if has("apiGroups", ADMISSION) && own_kinds.iter().any(|kind| has("resources", kind)) {
        "webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources"
    } else {
        return Ok(());
    };
    Err(text.into())
}

/// The configurations of an operator of a kind, by name.
fn configurations(api: &ApiServer, version: &Object, kind: &str) -> Vec<Arc<Object>> {
    api.all(ADMISSION, kind).filter(|one| is_labelled_by(one, version)).cloned().collect()
}

/// Those of one webhook.
fn configurations_of(api: &ApiServer, version: &Object, description: &Value) -> Vec<Arc<Object>> {
    let Some(kind) = configuration_kind(description) else { return Vec::new() };
    let mut all = configurations(api, version, kind);
    all.retain(|one| one.label(WEBHOOK_GENERATE_NAME) == Some(description.text(&["generateName"])));
    all
}

/// Installs a webhook.
pub fn install(
    client: &mut Client<'_>,
    version: &Object,
    description: &Value,
    authority: &[u8],
) -> Result<(), Failure> {
    let groups: Vec<_> =
        client.api.all(GROUP, OPERATOR_GROUP).filter(|one| one.namespace() == version.namespace()).collect();
    let [group] = groups.as_slice() else {
        return Err("error retrieving OperatorGroup info".to_owned().into());
    };
    let selector = namespace_selector(group);
    let Some(kind) = configuration_kind(description) else {
        return convert(client, version, description, authority);
    };
    let webhook = webhook(version, description, selector, authority);
    let existing = configurations_of(client.api, version, description);
    if existing.is_empty() {
        let mut object = json!({
            "apiVersion": format!("{ADMISSION}/v1"), "kind": kind,
            "metadata": {"generateName": format!("{}-", description.text(&["generateName"]))},
            "webhooks": [webhook],
        });
        object.set(&["metadata", "labels"], webhook_labels(version, description, Map::new()));
        client.create(object)?;
    }
    for old in existing {
        let mut object = Object::clone(&old);
        let before = old.at(&["metadata", "labels"]).and_then(Value::as_object).cloned().unwrap_or_default();
        object.set(&["metadata", "labels"], webhook_labels(version, description, before));
        object.set(&["webhooks"], json!([webhook]));
        client.update(object)?;
    }
    Ok(())
}

fn webhook_labels(version: &Object, description: &Value, mut all: Map<String, Value>) -> Map<String, Value> {
    all.extend(labels(version));
    all.insert(WEBHOOK_GENERATE_NAME.to_owned(), description["generateName"].clone());
    all.insert(WEBHOOK_HASH.to_owned(), deep_hash(description, DESCRIPTION).into());
    all.insert(MANAGED.to_owned(), "true".into());
    all
}

/// Which namespaces a webhook is asked about: those of the group, unless it is for all.
fn namespace_selector(group: &Object) -> Option<Value> {
    if group.list(&["spec", "targetNamespaces"]).is_empty() {
        return group.given(&["spec", "selector"]).cloned();
    }
    let label = format!("{OPERATOR_GROUP_UID_PREFIX}{}", group.uid());
    Some(json!({"matchLabels": {label: ""}}))
}

/// The Service of a webhook, whose name has no dots.
fn service(version: &Object, description: &Value) -> Value {
    let name = description.text(&["deploymentName"]).replace('.', "-") + "-service";
    let mut service = json!({
        "name": name, "namespace": version.namespace(),
        "port": description.number(&["containerPort"]).unwrap_or(443),
    });
    if let Some(path) = description.given(&["webhookPath"]) {
        service.set(&["path"], path.clone());
    }
    service
}

fn webhook(version: &Object, description: &Value, selector: Option<Value>, authority: &[u8]) -> Value {
    let mut webhook = json!({
        "name": description["generateName"],
        "clientConfig": {"service": service(version, description), "caBundle": base64::encode(authority)},
    });
    let mut copied = vec![
        "rules",
        "failurePolicy",
        "matchPolicy",
        "objectSelector",
        "sideEffects",
        "timeoutSeconds",
        "admissionReviewVersions",
    ];
    if description["type"] == "MutatingAdmissionWebhook" {
        copied.push("reinvocationPolicy");
    }
    for field in copied {
        if let Some(value) = description.given(&[field]) {
            webhook.set(&[field], value.clone());
        }
    }
    if let Some(selector) = selector {
        webhook.set(&["namespaceSelector"], selector);
    }
    webhook
}

/// Makes definitions be converted by a webhook.
fn convert(
    client: &mut Client<'_>,
    version: &Object,
    description: &Value,
    authority: &[u8],
) -> Result<(), Failure> {
    let is_for_all_alone = version
        .list(&["spec", "installModes"])
        .iter()
        .all(|mode| (mode["type"] == "AllNamespaces") == (mode["supported"] == true));
    let refuse = |text: &str| Err(Failure::Other(text.to_owned()));
    if !is_for_all_alone {
        return refuse(
            "unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces",
        );
    }
    let names = description.list(&["conversionCRDs"]);
    if names.is_empty() {
        return refuse(
            "unable to manager conversion webhook: conversion webhook must have at least one CRD specified",
        );
    }
    for name in names.iter().filter_map(Value::as_str) {
        let Some(found) = client.get(EXTENSIONS, "CustomResourceDefinition", "", name) else {
            let error = ApiError::not_found(EXTENSIONS, "customresourcedefinitions", name);
            return refuse(&format!("unable to get CRD {name} specified in Conversion Webhook: {error}"));
        };
        let owned = version.list(&["spec", "customresourcedefinitions", "owned"]);
        if !owned.iter().any(|one| one["name"] == name) {
            return refuse(&format!("csv {} does not own CRD {name}", version.name()));
        }
        if found.at(&["spec", "preserveUnknownFields"]) == Some(&Value::Bool(true)) {
            return refuse(
                "crd.Spec.PreserveUnknownFields must be false to let API Server call webhook to do the conversion",
            );
        }
        let mut service = service(version, description);
        if service.get("path").is_none() {
            service.set(&["path"], "/");
        }
        let mut object = Object::clone(&found);
        object.set(
            &["spec", "conversion"],
            json!({
                "strategy": "Webhook",
                "webhook": {
                    "clientConfig": {"service": service, "caBundle": base64::encode(authority)},
                    "conversionReviewVersions": description["admissionReviewVersions"],
                },
            }),
        );
        client.update(object).map_err(|error| {
            let text = format!("Error updating CRD with Conversion info: {error}");
            match Failure::from(error) {
                Failure::Forbidden(_) => Failure::Forbidden(text),
                Failure::Other(_) => Failure::Other(text),
            }
        })?;
    }
    Ok(())
}

/// The certificate of the authority that a webhook is configured with, as base64.
pub fn authority(client: &Client<'_>, version: &Object, description: &Value) -> Option<String> {
    let bundle = if configuration_kind(description).is_some() {
        let found = configurations_of(client.api, version, description);
        found.first()?.list(&["webhooks"]).first()?.text(&["clientConfig", "caBundle"]).to_owned()
    } else {
        let names = description.list(&["conversionCRDs"]).iter().filter_map(Value::as_str);
        let mut bundles = names.filter_map(|name| conversion_authority(client.api, name));
        bundles.next()?
    };
    Some(bundle)
}

/// The certificate that a definition has its webhook checked with.
fn conversion_authority(api: &ApiServer, definition: &str) -> Option<String> {
    let name = fbc_cluster::object::ObjectName::cluster(definition);
    let found = api.find(EXTENSIONS, "CustomResourceDefinition", &name)?;
    let bundle = found.at(&["spec", "conversion", "webhook", "clientConfig", "caBundle"])?;
    bundle.as_str().map(str::to_owned)
}

/// Deletes configurations of webhooks that the operator does not have any more, and tells whether all others are there.
///
/// # Errors
/// A definition is missing or not converted by its webhook.
pub fn are_available(client: &mut Client<'_>, version: &Object) -> Result<bool, LookError> {
    let names: Vec<&str> = webhooks_of(version).iter().map(|one| one.text(&["generateName"])).collect();
    for kind in KINDS {
        for configuration in configurations(client.api, version, kind) {
            let Some(name) = configuration.label(WEBHOOK_GENERATE_NAME) else {
                let kind = kind.replacen(['V', 'M'], &kind[..1].to_lowercase(), 1);
                return fail(format!("{kind} {} does not have WebhookDesc key", configuration.name()));
            };
            if !names.contains(&name) {
                client.delete(&configuration, Propagation::Background).map_err(|error| error.message)?;
            }
        }
    }
    for description in webhooks_of(version) {
        let is_there = match configuration_kind(description) {
            Some(_) => {
                let hash = deep_hash(description, DESCRIPTION);
                let all = configurations_of(client.api, version, description);
                all.iter().any(|one| one.label(WEBHOOK_HASH) == Some(&*hash))
            }
            None => is_converting(client.api, description)?,
        };
        if !is_there {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_converting(api: &ApiServer, description: &Value) -> Result<bool, LookError> {
    let names = description.list(&["conversionCRDs"]);
    for name in names.iter().filter_map(Value::as_str) {
        let place = fbc_cluster::object::ObjectName::cluster(name);
        let Some(found) = api.find(EXTENSIONS, "CustomResourceDefinition", &place) else {
            return Err(ApiError::not_found(EXTENSIONS, "customresourcedefinitions", name).message.into());
        };
        let is_by_webhook = found.text(&["spec", "conversion", "strategy"]) == "Webhook";
        if !is_by_webhook || conversion_authority(api, name).is_none() {
            return fail("conversionWebhook not ready");
        }
    }
    Ok(!names.is_empty())
}
