//! What a Subscription says of the catalogs in its sight.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/subscription`
//! (`reconciler.go`: `catalogHealth`, `state.go`: `UpdateHealth`).

use std::collections::BTreeMap;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::condition;
use super::registry::Registry;
use crate::look_error::{LookError, fail};
use crate::names::{CATALOG_SOURCE, GROUP};

/// The condition.
const UNHEALTHY: &str = "CatalogSourcesUnhealthy";

/// The catalogs of the namespace and the global ones, with how they are.
///
/// # Errors
/// A registry that cannot be looked at.
pub(super) fn catalogs(
    subscription: &Object,
    global: &str,
    registry: &Registry,
    api: &ApiServer,
) -> Result<Vec<Value>, LookError> {
    let in_sight =
        |one: &&std::sync::Arc<Object>| [subscription.namespace(), global].contains(&one.namespace());
    let mut catalogs: Vec<_> = api.all(GROUP, CATALOG_SOURCE).filter(in_sight).collect();
    catalogs.sort_by_key(|one| format!("{}{}", one.namespace(), one.name()));
    let now = api.now().to_string();
    let mut errors = Vec::new();
    let mut healths = Vec::new();
    for catalog in catalogs {
        match is_healthy(catalog, registry, api) {
            Ok(is_healthy) => healths.push(json!({
                "catalogSourceRef": reference(catalog), "healthy": is_healthy, "lastUpdated": now,
            })),
            Err(error) => errors.push(error),
        }
    }
    match errors.as_slice() {
        [] => Ok(healths),
        [one] => Err(one.clone()),
        several => fail(format!("[{}]", several.join(", "))),
    }
}

fn is_healthy(catalog: &Object, registry: &Registry, api: &ApiServer) -> Result<bool, LookError> {
    if catalog.text(&["status", "reason"]) == "SpecInvalidError" {
        return Ok(false);
    }
    registry.is_healthy(catalog, api)
}

/// A reference to an object in the state that it has.
pub(super) fn reference(object: &Object) -> Value {
    json!({
        "apiVersion": object.api_version(), "kind": object.kind(), "namespace": object.namespace(),
        "name": object.name(), "uid": object.uid(),
        "resourceVersion": object.text(&["metadata", "resourceVersion"]),
    })
}

/// The status with how the catalogs are, if it does not say so.
///
/// Shows V0-060 and V0-133.
pub(super) fn status(subscription: &Object, healths: &[Value], now: Moment) -> Option<Value> {
    let (namespace, name) =
        (subscription.text(&["spec", "sourceNamespace"]), subscription.text(&["spec", "source"]));
    let targeted = healths.iter().find(|one| {
        let of = &one["catalogSourceRef"];
        of.text(&["namespace"]) == namespace && of.text(&["name"]) == name
    });
    let is_healthy = |one: &Value| one["healthy"] == true;
    let present = subscription.condition(UNHEALTHY);
    let old = present.map(|one| one.text(&["message"])).unwrap_or_default();
    let unhealthy = ("True", "UnhealthyCatalogSourceFound");
    let ((flag, mut reason), mut message) = match targeted {
        None => (unhealthy, format!("targeted catalogsource {namespace}/{name} missing")),
        Some(one) if !is_healthy(one) => {
            (unhealthy, format!("targeted catalogsource {namespace}/{name} unhealthy"))
        }
        Some(_) if !healths.iter().all(is_healthy) => (unhealthy, old.to_owned()),
        Some(_) => {
            (("False", "AllCatalogSourcesHealthy"), "all available catalogsources are healthy".to_owned())
        }
    };
    let before = subscription.list(&["status", "catalogHealth"]);
    let mut is_new = true;
    if healths.len() > before.len() {
        reason = "CatalogSourcesAdded";
    } else if healths.len() < before.len() {
        reason = "CatalogSourcesDeleted";
    } else if healths.is_empty() {
        reason = "NoCatalogSourcesFound";
        "dependency resolution requires at least one catalogsource".clone_into(&mut message);
        // The reference counts this as news each time, but a write that changes only times is none here.
        is_new = present.is_none();
    } else {
        is_new = false;
        let uid = |one: &Value| one.text(&["catalogSourceRef", "uid"]).to_owned();
        let by_uid: BTreeMap<String, bool> = healths.iter().map(|one| (uid(one), is_healthy(one))).collect();
        if before.iter().any(|one| by_uid.get(&uid(one)) != Some(&is_healthy(one))) {
            reason = "CatalogSourcesUpdated";
        }
    }
    let mut new =
        json!({"type": UNHEALTHY, "status": flag, "reason": reason, "lastTransitionTime": now.to_string()});
    if !message.is_empty() {
        new["message"] = message.into();
    }
    if !is_new && present.is_some_and(|present| condition::says(present, &new)) {
        return None;
    }
    let mut status =
        subscription.get("status").filter(|status| status.is_object()).cloned().unwrap_or(json!({}));
    condition::set(&mut status, new);
    status.set(&["lastUpdated"], now.to_string());
    if healths.is_empty() {
        status.remove(&["catalogHealth"]);
    } else {
        status.set(&["catalogHealth"], healths.to_vec());
    }
    Some(status)
}
