//! The service account that an OperatorGroup names for the work on operators of its namespace.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/lib/scoped/{querier,token_retriever}.go`.

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::object::{ObjectFields, ObjectName};
use serde_json::Value;

use crate::look_error::{LookError, fail};
use crate::names::{GROUP, OPERATOR_GROUP};

/// With whose rights operators of a namespace are worked on: those of the account that the group names, or else the caller's.
///
/// # Errors
/// Why it cannot be told.
pub fn scoped(api: &ApiServer, namespace: &str, caller: &Caller) -> Result<Caller, LookError> {
    let Some(account) = account(api, namespace)? else { return Ok(caller.clone()) };
    if api.find("", "ServiceAccount", &account).is_none() {
        return fail(format!("serviceaccounts {:?} not found", account.name));
    }
    Ok(Caller::service_account(&account.namespace, &account.name, caller.manager.clone()))
}

/// The account that the group of a namespace names.
///
/// # Errors
/// As [`reference()`].
pub fn account(api: &ApiServer, namespace: &str) -> Result<Option<ObjectName>, LookError> {
    let name =
        |reference: Value| ObjectName::namespaced(reference.text(&["namespace"]), reference.text(&["name"]));
    Ok(reference(api, namespace)?.map(name))
}

/// The account that the group of a namespace names, as its status refers to it. Its rights count for plans, too.
///
/// # Errors
/// There is not exactly one group at work, or its account is missing (V0-070, V0-141).
pub fn reference(api: &ApiServer, namespace: &str) -> Result<Option<Value>, LookError> {
    let all = api.all(GROUP, OPERATOR_GROUP).filter(|group| group.namespace() == namespace);
    let working: Vec<_> = all.filter(|group| !group.list(&["status", "namespaces"]).is_empty()).collect();
    let group = match working.as_slice() {
        [] => return fail("no operator group found that is managing this namespace"),
        [only] => only,
        several => {
            let count = several.len();
            return fail(format!(
                "more than one operator group(s) are managing this namespace count={count}"
            ));
        }
    };
    let name = group.text(&["spec", "serviceAccountName"]);
    if name.is_empty() {
        return Ok(None);
    }
    match group.given(&["status", "serviceAccountRef"]) {
        Some(reference) => Ok(Some(reference.clone())),
        None => {
            let group = group.object_name();
            fail(format!("please make sure the service account exists. sa={name} operatorgroup={group}"))
        }
    }
}
