//! What the status of an OperatorGroup says of other groups, and of its service account.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operatorgroup.go`
//! (`syncOperatorGroups`), `pkg/lib/scoped/syncer.go`.

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::owners::is_managed;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{GROUP, MANAGED, OPERATOR_GROUP};

const MULTIPLE: &str = "MultipleOperatorGroup";
const SERVICE_ACCOUNT: &str = "OperatorGroupServiceAccount";

/// Says of groups that share a namespace that they do, and of one that is alone that it does not any more (V0-080, V0-081).
pub fn count_groups(client: &mut Client<'_>, group: &Object) {
    let all = client.api.all(GROUP, OPERATOR_GROUP).filter(|other| other.namespace() == group.namespace());
    let groups: Vec<Arc<Object>> = all.cloned().collect();
    for one in &groups {
        let mut status = one.get("status").cloned().unwrap_or_else(|| json!({}));
        match (groups.len(), one.condition(MULTIPLE)) {
            (1, Some(_)) => remove_condition(&mut status, MULTIPLE),
            (2.., None) => {
                let message = "Multiple OperatorGroup found in the same namespace";
                let now = client.api.now().to_string();
                add_condition(&mut status, &now, MULTIPLE, "MultipleOperatorGroupsFound", message);
                if status.given(&["lastUpdated"]).is_none() {
                    status.set(&["lastUpdated"], Value::Null);
                }
            }
            _ => continue,
        }
        // The reference only notes a refusal in its log.
        let _ = client.update_status(one, status);
    }
}

fn add_condition(status: &mut Value, now: &str, condition_type: &str, reason: &str, message: &str) {
    remove_condition(status, condition_type);
    let condition = json!({
        "type": condition_type, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now,
    });
    match status.place(&["conditions"]) {
        Value::Array(conditions) => conditions.push(condition),
        place => *place = json!([condition]),
    }
}

fn remove_condition(status: &mut Value, condition_type: &str) {
    if let Some(Value::Array(conditions)) = status.get_mut("conditions") {
        conditions.retain(|condition| condition["type"] != condition_type);
        if conditions.is_empty() {
            status.remove(&["conditions"]);
        }
    }
}

/// Finds the service account that a group names, and notes it in the status. Shows V0-086.
///
/// # Errors
/// There is no such account.
pub fn sync_account(client: &mut Client<'_>, group: Arc<Object>) -> Result<Arc<Object>, LookError> {
    let name = group.text(&["spec", "serviceAccountName"]);
    let now = client.api.now().to_string();
    let mut status = group.get("status").cloned().unwrap_or_else(|| json!({}));
    if name.is_empty() {
        if group.given(&["status", "serviceAccountRef"]).is_none() {
            return Ok(group);
        }
        remove_condition(&mut status, SERVICE_ACCOUNT);
        status.remove(&["serviceAccountRef"]);
        status.set(&["lastUpdated"], now);
        return client.update_status(&group, status).map_err(|error| {
            LookError::from(format!("failed to reset status.serviceAccount, sa={name} {error}"))
        });
    }
    let Some(account) = client.get("", "ServiceAccount", group.namespace(), name) else {
        let is_known = group.condition_status(SERVICE_ACCOUNT) == "True";
        if !is_known || group.given(&["status", "serviceAccountRef"]).is_some() {
            let message = format!("ServiceAccount {name} not found");
            add_condition(&mut status, &now, SERVICE_ACCOUNT, "ServiceAccountNotFound", &message);
            status.remove(&["serviceAccountRef"]);
            status.set(&["lastUpdated"], now);
            // The reference only notes a refusal in its log.
            let _ = client.update_status(&group, status);
        }
        return fail(format!("failed to get service account, sa={name} serviceaccounts {name:?} not found"));
    };
    if !is_managed(&account) {
        let labelled = json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": group.namespace(), "labels": {MANAGED: "true"}},
        });
        client.apply("operator-lifecycle-manager", labelled).map_err(|error| {
            let place = account.object_name();
            format!("failed to apply labels[{MANAGED}]=true to serviceaccount {place}: {error}")
        })?;
    }
    let reference = json!({
        "kind": "ServiceAccount", "namespace": group.namespace(), "name": name, "uid": account.uid(),
        "apiVersion": "v1", "resourceVersion": account.text(&["metadata", "resourceVersion"]),
    });
    if group.at(&["status", "serviceAccountRef"]) == Some(&reference) {
        return Ok(group);
    }
    remove_condition(&mut status, SERVICE_ACCOUNT);
    status.set(&["serviceAccountRef"], reference);
    status.set(&["lastUpdated"], now);
    let written = client.update_status(&group, status);
    written
        .map_err(|error| LookError::from(format!("failed to set status.serviceAccount, sa={name} {error}")))
}
