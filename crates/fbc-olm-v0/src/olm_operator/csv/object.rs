//! ClusterServiceVersions as objects: what is read from them, and how they are written.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_kubernetes::types::Named;
use fbc_version::Version;
use serde_json::{Value, json};

use super::super::hash::go_typed;
use crate::client::Client;
use crate::names::{CLUSTER_SERVICE_VERSION, COPIED_FROM, GROUP, OPERATOR_NAMESPACE};

const SPEC: Named = Named::new("operators", "ClusterServiceVersionSpec");
const STATUS: Named = Named::new("operators", "ClusterServiceVersionStatus");

/// Whether an object can be decoded: informers skip one whose version is not a semantic version (V0-130).
pub fn is_readable(version: &Object) -> bool {
    let text = version.text(&["spec", "version"]);
    text.is_empty() || Version::parse_tolerant(text).is_ok()
}

/// Whether an object is a copy.
///
/// Source: `openshift/operator-framework-olm:staging/api/pkg/operators/v1alpha1/clusterserviceversion.go` (`IsCopied`).
pub fn is_copied(version: &Object) -> bool {
    let elsewhere = version.annotation(OPERATOR_NAMESPACE).is_some_and(|place| place != version.namespace());
    version.text(&["status", "reason"]) == "Copied" || elsewhere || has_copy_label(version)
}

/// Whether an object has the label of copies, by which informers tell them from originals.
pub fn has_copy_label(version: &Object) -> bool {
    version.label(COPIED_FROM).is_some()
}

/// The originals in a namespace, or with an empty one in all, by namespace and name.
pub fn originals(api: &ApiServer, namespace: &str) -> Vec<Arc<Object>> {
    let all = api.kind_id(GROUP, CLUSTER_SERVICE_VERSION).into_iter().flat_map(
        |id| -> Box<dyn Iterator<Item = _>> {
            if namespace.is_empty() {
                Box::new(api.store().of_kind(id))
            } else {
                Box::new(api.store().in_namespace(id, namespace))
            }
        },
    );
    all.filter(|version| !has_copy_label(version) && is_readable(version)).cloned().collect()
}

/// An original by its name.
pub fn original(api: &ApiServer, namespace: &str, name: &str) -> Option<Arc<Object>> {
    let name = fbc_cluster::object::ObjectName::namespaced(namespace, name);
    let found = api.find(GROUP, CLUSTER_SERVICE_VERSION, &name)?;
    (!has_copy_label(found) && is_readable(found)).then(|| Arc::clone(found))
}

/// `status.phase`
pub fn phase(version: &Object) -> &str {
    version.text(&["status", "phase"])
}

/// `status.reason`
pub fn reason(version: &Object) -> &str {
    version.text(&["status", "reason"])
}

/// `spec.replaces`
pub fn replaces(version: &Object) -> &str {
    version.text(&["spec", "replaces"])
}

/// The entries of a list in `spec.apiservicedefinitions`, each API once, by name `version.group`; owned ones come first.
pub fn api_services<'v>(version: &'v Object, lists: &[&str]) -> Vec<(String, &'v Value)> {
    let mut all: std::collections::BTreeMap<String, &Value> = std::collections::BTreeMap::new();
    for list in lists {
        for entry in version.list(&["spec", "apiservicedefinitions", list]) {
            all.entry(api_service_name(entry)).or_insert(entry);
        }
    }
    all.into_iter().collect()
}

/// `version.group`
pub fn api_service_name(entry: &Value) -> String {
    format!("{}.{}", entry.text(&["version"]), entry.text(&["group"]))
}

/// `spec.webhookdefinitions`
pub fn webhooks(version: &Object) -> &[Value] {
    version.list(&["spec", "webhookdefinitions"])
}

/// `spec.install.spec.deployments`
pub fn deployments(version: &Object) -> &[Value] {
    version.list(&["spec", "install", "spec", "deployments"])
}

/// Writes everything but the status, as Go's types have it: fields that are never left out come in.
pub fn update(client: &mut Client<'_>, mut version: Object) -> Result<Arc<Object>, ApiError> {
    let spec = go_typed(version.get("spec").unwrap_or(&Value::Null), SPEC);
    version.set(&["spec"], spec);
    version.remove(&["status"]);
    client.update(version)
}

/// Writes the status, as Go's types have it.
pub fn update_status(client: &mut Client<'_>, version: &Object) -> Result<Arc<Object>, ApiError> {
    let status = version.get("status").cloned().unwrap_or_else(|| json!({}));
    client.update_status(version, go_typed(&status, STATUS))
}
