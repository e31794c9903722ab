//! What a Subscription says of the ClusterServiceVersion that it moves to.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/operator.go`
//! (`ensureSubscriptionInstallPlanState`, `ensureSubscriptionCSVState`, `nothingToUpdate`).

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::health::reference;
use crate::look_error::LookError;
use crate::names::{CLUSTER_SERVICE_VERSION, GENERATED_BY, GROUP, INSTALL_PLAN};

/// A status that is new, and whether it is written: what only refers to a plan is not, it is worked out again.
pub(super) struct Next {
    pub(super) status: Value,
    pub(super) is_written: bool,
}

/// The next status of a Subscription, if it is another one.
///
/// Shows V0-027, V0-028 and V0-139.
///
/// # Errors
/// The plan that made it is not there.
pub(super) fn next(
    subscription: &Object,
    fails_forward: bool,
    api: &ApiServer,
) -> Result<Option<Next>, LookError> {
    let mut status =
        subscription.get("status").filter(|status| status.is_object()).cloned().unwrap_or(json!({}));
    let namespace = subscription.namespace();
    let is_referring =
        status.given(&["installPlanRef"]).is_some() || status.given(&["installplan"]).is_some();
    let made_by = subscription.annotation(GENERATED_BY).filter(|_| !is_referring);
    if let Some(name) = made_by {
        let plan = api.find(GROUP, INSTALL_PLAN, &ObjectName::namespaced(namespace, name));
        let plan = plan.ok_or_else(|| format!("installplans.operators.coreos.com {name:?} not found"))?;
        refer(&mut status, plan);
        let is_failed = fails_forward && plan.text(&["status", "phase"]) == "Failed";
        status.set(&["state"], if is_failed { "UpgradeFailed" } else { "UpgradePending" });
        status.set(&["currentCSV"], subscription.text(&["spec", "startingCSV"]));
        status.set(&["lastUpdated"], api.now().to_string());
    }
    let current = status.text(&["currentCSV"]).to_owned();
    if current.is_empty() {
        return Ok(made_by.map(|_| Next { status, is_written: false }));
    }
    let exists =
        api.find(GROUP, CLUSTER_SERVICE_VERSION, &ObjectName::namespaced(namespace, &*current)).is_some();
    let plan = status.text(&["installPlanRef", "name"]);
    let has_failed = || {
        let plan = api.find(GROUP, INSTALL_PLAN, &ObjectName::namespaced(namespace, plan));
        plan.is_some_and(|plan| plan.text(&["status", "phase"]) == "Failed")
    };
    let state = match exists {
        true => "AtLatestKnown",
        false if fails_forward && has_failed() => "UpgradeFailed",
        false => "UpgradePending",
    };
    if status.text(&["state"]) == state {
        return Ok(made_by.map(|_| Next { status, is_written: false }));
    }
    status.set(&["state"], state);
    if exists {
        status.set(&["installedCSV"], current);
    }
    status.set(&["lastUpdated"], api.now().to_string());
    Ok(Some(Next { status, is_written: true }))
}

/// Puts references to a plan into a status.
pub(super) fn refer(status: &mut Value, plan: &Object) {
    status.set(&["installPlanRef"], reference(plan));
    status.set(
        &["installplan"],
        json!({
            "apiVersion": plan.api_version(), "kind": plan.kind(), "name": plan.name(), "uuid": plan.uid(),
        }),
    );
}

/// Whether a Subscription waits for its plan.
///
/// Shows V0-026.
pub(super) fn waits(subscription: &Object) -> bool {
    subscription.given(&["status", "installPlanRef"]).is_some()
        && subscription.text(&["status", "state"]) == "UpgradePending"
}
