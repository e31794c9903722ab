//! What a Subscription says of its plan.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/subscription/state.go`.

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::condition;
use crate::names::{GROUP, INSTALL_PLAN};

/// The status with the condition of the plan that it refers to, if it is not there.
///
/// Shows V0-058 and V0-059.
pub(super) fn status(subscription: &Object, api: &ApiServer) -> Option<Value> {
    let reference = subscription.given(&["status", "installPlanRef"])?;
    let name = ObjectName::namespaced(reference.text(&["namespace"]), reference.text(&["name"]));
    let now = api.now().to_string();
    let before = &subscription["status"];
    let mut after = before.clone();
    for of in ["InstallPlanPending", "InstallPlanFailed"] {
        condition::remove(&mut after, of);
    }
    match api.find(GROUP, INSTALL_PLAN, &name) {
        None if subscription.text(&["status", "state"]) == "UpgradePending" => {
            for field in ["installPlanRef", "installplan", "currentCSV", "state"] {
                after.remove(&[field]);
            }
        }
        None => {
            let missing = "InstallPlanMissing";
            if condition::get(&after, missing).is_none() {
                condition::set(
                    &mut after,
                    json!({
                        "type": missing, "status": "True", "reason": "ReferencedInstallPlanNotFound",
                        "lastTransitionTime": now,
                    }),
                );
            }
        }
        Some(plan) => {
            condition::remove(&mut after, "InstallPlanMissing");
            if let Some(new) = of_plan(plan, &now) {
                condition::set(&mut after, new);
            }
        }
    }
    if condition::all_say(before, &after) {
        return None;
    }
    after.set(&["lastUpdated"], now);
    Some(after)
}

/// The condition of a plan that is not complete.
fn of_plan(plan: &Object, now: &str) -> Option<Value> {
    let (of, reason) = match plan.text(&["status", "phase"]) {
        "" => ("InstallPlanPending", "InstallPlanNotYetReconciled"),
        phase @ ("Planning" | "RequiresApproval" | "Installing") => ("InstallPlanPending", phase),
        "Failed" => {
            let installed = plan.condition("Installed").filter(|one| one["status"] == "False");
            let reason = installed.map_or("InstallPlanFailed", |one| one.text(&["reason"]));
            ("InstallPlanFailed", reason)
        }
        _ => return None,
    };
    let mut condition = json!({"type": of, "status": "True", "lastTransitionTime": now});
    for (field, text) in [("reason", reason), ("message", &*message(plan))] {
        if !text.is_empty() {
            condition[field] = text.into();
        }
    }
    Some(condition)
}

fn message(plan: &Object) -> String {
    let installed = plan.condition("Installed").map(|one| one.text(&["message"])).unwrap_or_default();
    if !installed.is_empty() {
        return installed.to_owned();
    }
    let lookups = plan.list(&["status", "bundleLookups"]).iter();
    let pending = lookups
        .flat_map(|lookup| lookup.list(&["conditions"]))
        .filter(|one| one["type"] == "BundleLookupPending" && !one.text(&["message"]).is_empty());
    pending.map(|one| format!("{}.", one.text(&["message"]))).collect::<Vec<_>>().join(" ")
}
