//! The pods, services and accounts that serve a catalog.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/registry/reconciler/grpc.go`,
//! `reconciler.go`.

use std::sync::Arc;

use fbc_bundle::kubernetes::TypeMismatch;
use fbc_cluster::api::{ApiServer, DeleteOptions, Patch, Propagation, Subresource, WriteOptions};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_kubernetes::types::Named;
use serde_json::{Value, json};

use super::registry::{owner, service_name};
use crate::client::Client;
use crate::go_json;
use crate::look_error::LookError;
use crate::names::{CATALOG_SOURCE_LABEL, CATALOG_SOURCE_UPDATE, MANAGED, POD_SPEC_HASH, SERVICE_SPEC_HASH};

const SERVICE_SPEC: Named = Named::new("core", "ServiceSpec");

/// The labels of what belongs to a catalog.
pub(super) fn labels(catalog: &Object) -> Value {
    json!({CATALOG_SOURCE_LABEL: catalog.name(), MANAGED: "true"})
}

pub(super) fn pods(catalog: &Object, label: &str, api: &ApiServer) -> Vec<Arc<Object>> {
    let Some(id) = api.kind_id("", "Pod") else { return Vec::new() };
    let pods = api.store().with_label_in(id, catalog.namespace(), label, catalog.name());
    pods.filter(|pod| !pod.is_terminating()).cloned().collect()
}

/// The pods that serve a catalog as it is to be served.
pub(super) fn current(catalog: &Object, wanted: &Value, api: &ApiServer) -> Vec<Arc<Object>> {
    let hash = wanted.label(POD_SPEC_HASH);
    let mut pods = pods(catalog, CATALOG_SOURCE_LABEL, api);
    pods.retain(|pod| pod.label(POD_SPEC_HASH) == hash);
    pods
}

/// Shows V0-012.
pub(super) fn is_dead(pod: &Object) -> bool {
    pod.condition_status("DisruptionTarget") == "True"
}

pub(super) fn is_crashing(pod: &Object) -> bool {
    pod.list(&["status", "containerStatuses"])
        .iter()
        .any(|status| status.text(&["state", "waiting", "reason"]) == "CrashLoopBackOff")
}

/// The image of the catalog that a pod runs; empty while it is not known.
pub(super) fn image_id(pod: &Object) -> &str {
    let of = |field: &str, index: usize| {
        let statuses = pod.list(&["status", field]);
        statuses.get(index).map(|status| status.text(&["imageID"])).unwrap_or_default()
    };
    match pod.list(&["status", "initContainerStatuses"]).len() {
        2 => of("initContainerStatuses", 1),
        0 => of("containerStatuses", 0),
        _ => "",
    }
}

pub(super) fn delete_pod(pod: &Object, grace: u64, client: &mut Client<'_>) -> Result<(), ApiError> {
    let Some(id) = client.api.kind_id("", "Pod") else { return Ok(()) };
    let options = DeleteOptions { grace_period: Some(grace), ..DeleteOptions::default() };
    match client.api.delete(client.caller, id, &pod.object_name(), &options) {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

/// Lets an update pod serve.
pub(super) fn promote(pod: &Object, catalog: &str, client: &mut Client<'_>) -> Result<(), ApiError> {
    let Some(id) = client.api.kind_id("", "Pod") else { return Ok(()) };
    let labels = json!({CATALOG_SOURCE_LABEL: catalog, CATALOG_SOURCE_UPDATE: ""});
    let patch = Patch::Merge(json!({"metadata": {"labels": labels}}));
    let options = WriteOptions::default();
    client.api.patch(client.caller, id, &pod.object_name(), &patch, Subresource::None, options).map(drop)
}

pub(super) fn ensure_policy(policy: &Value, client: &mut Client<'_>) -> Result<(), ApiError> {
    match client.get("networking.k8s.io", "NetworkPolicy", policy.namespace(), policy.name()) {
        Some(present) if present["spec"] == policy["spec"] => return Ok(()),
        Some(present) => client.delete(&present, Propagation::Background)?,
        None => {}
    }
    client.create(policy.clone()).map(drop)
}

pub(super) fn ensure_account(catalog: &Object, client: &mut Client<'_>) -> Result<Arc<Object>, ApiError> {
    if let Some(account) = client.get("", "ServiceAccount", catalog.namespace(), catalog.name()) {
        return Ok(account);
    }
    let mut account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": {
            "name": catalog.name(), "namespace": catalog.namespace(), "labels": {MANAGED: "true"},
            "ownerReferences": [owner(catalog, true, true)],
        },
    });
    let secrets = catalog.list(&["spec", "secrets"]).iter().filter(|secret| secret.as_str() != Some(""));
    let secrets: Vec<Value> = secrets.map(|secret| json!({"name": secret})).collect();
    if !secrets.is_empty() {
        account["imagePullSecrets"] = Value::Array(secrets);
    }
    client.create(account)
}

/// Shows V0-010 and V0-160.
pub(super) fn ensure_pod(
    catalog: &Object,
    pod: &Value,
    is_replaced: bool,
    client: &mut Client<'_>,
) -> Result<(), LookError> {
    let present = pods(catalog, CATALOG_SOURCE_LABEL, client.api);
    if !present.is_empty() && !is_replaced {
        return Ok(());
    }
    for old in present {
        delete_pod(&old, 1, client).map_err(|error| {
            LookError::from(format!("error deleting old pod: {}: {}", old.name(), error.message))
        })?;
    }
    let begins = pod.text(&["metadata", "generateName"]);
    let created = client.create(pod.clone());
    created
        .map(drop)
        .map_err(|error| LookError::from(format!("error creating new pod: {begins}: {}", error.message)))
}

pub(super) fn service(catalog: &Object) -> Result<Value, TypeMismatch> {
    let spec = json!({
        "ports": [{"name": "grpc", "port": 50051, "targetPort": 50051}], "selector": labels(catalog),
    });
    let hash = go_json::hash(&go_json::encode(&spec, SERVICE_SPEC)?);
    Ok(json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "name": service_name(catalog.name()), "namespace": catalog.namespace(),
            "labels": {SERVICE_SPEC_HASH: hash, MANAGED: "true"}, "ownerReferences": [owner(catalog, false, false)],
        },
        "spec": spec,
    }))
}

pub(super) fn ensure_service(
    service: &Value,
    is_replaced: bool,
    client: &mut Client<'_>,
) -> Result<(), ApiError> {
    if let Some(present) = client.get("", "Service", service.namespace(), service.name()) {
        if !is_replaced && present.label(SERVICE_SPEC_HASH) == service.label(SERVICE_SPEC_HASH) {
            return Ok(());
        }
        client.delete(&present, Propagation::Background)?;
    }
    client.create(service.clone()).map(drop)
}
