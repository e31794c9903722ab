//! Whether the service accounts of a ClusterServiceVersion have the rights that it asks for.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/requirements.go`
//! (`permissionStatus`), `pkg/controller/install/{rule_checker,attributes_util}.go`. The rule checker means to leave out roles
//! of other ClusterServiceVersions, but compares a version with a group and version, so that it leaves out none.

use std::collections::BTreeMap;

use fbc_cluster::access::{Attributes, User};
use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::super::hash::{binding_hash, rule_json, rules_hash};
use super::super::owners::{is_labelled_by, is_managed, is_owned_by};
use crate::look_error::{LookError, fail};
use crate::names::{CLUSTER_SERVICE_VERSION, PERMISSIONS_HASH, RBAC};

/// Whether all rights are given, those of `permissions` in a namespace (an empty one stands for the cluster), and the entries of
/// the status, by account.
///
/// # Errors
/// A rule is not valid.
pub fn check(api: &ApiServer, version: &Object, namespace: &str) -> Result<(bool, Vec<Value>), LookError> {
    let list = |which: &str| version.list(&["spec", "install", "spec", which]).iter();
    let permissions = list("permissions").map(|permission| (permission, namespace));
    check_all(api, version, permissions.chain(list("clusterPermissions").map(|permission| (permission, ""))))
}

/// The same with the rights of `permissions` in the whole cluster.
///
/// # Errors
/// A rule is not valid.
pub fn check_in_cluster(api: &ApiServer, version: &Object) -> Result<bool, LookError> {
    let list = |which: &str| version.list(&["spec", "install", "spec", which]).iter();
    let all = list("clusterPermissions").chain(list("permissions")).map(|permission| (permission, ""));
    Ok(check_all(api, version, all)?.0)
}

fn check_all<'p>(
    api: &ApiServer,
    version: &Object,
    permissions: impl Iterator<Item = (&'p Value, &'p str)>,
) -> Result<(bool, Vec<Value>), LookError> {
    let mut statuses: BTreeMap<&str, Value> = BTreeMap::new();
    let mut are_met = true;
    for (permission, namespace) in permissions {
        let name = permission.text(&["serviceAccountName"]);
        let mut status = statuses.get(name).cloned().unwrap_or_else(|| {
            json!({
                "group": "", "version": "v1", "kind": "ServiceAccount", "name": name,
                "status": "Present", "message": "",
            })
        });
        let failing = |mut status: Value, reason: &str, message: &str| {
            status.set(&["status"], reason);
            status.set(&["message"], message);
            status
        };
        let account = ObjectName::namespaced(version.namespace(), name);
        let Some(found) = api.find("", "ServiceAccount", &account) else {
            statuses.insert(name, failing(status, "NotPresent", "Service account does not exist"));
            are_met = false;
            continue;
        };
        let is_owned = found.owner_references().iter().any(|owner| owner.kind() == CLUSTER_SERVICE_VERSION);
        if is_owned && !is_owned_by(found, version) {
            let message = "Service account is owned by another ClusterServiceVersion";
            statuses.insert(name, failing(status, "PresentNotSatisfied", message));
            are_met = false;
            continue;
        }
        if were_created(api, version, permission, namespace) {
            continue;
        }
        for rule in permission.list(&["rules"]) {
            let is_met = is_satisfied(api, &account, namespace, rule)?;
            let scope = if namespace.is_empty() { "cluster" } else { "namespaced" };
            let dependent = json!({
                "group": RBAC, "version": "v1", "kind": "PolicyRule",
                "status": if is_met { "Satisfied" } else { "NotSatisfied" },
                "message": format!("{scope} rule:{}", rule_json(rule)),
            });
            if !is_met {
                are_met = false;
                // Shows V0-098.
                let message = "Policy rule not satisfied for service account";
                status = failing(status, "PresentNotSatisfied", message);
            }
            match status.place(&["dependents"]) {
                Value::Array(dependents) => dependents.push(dependent),
                place => *place = json!([dependent]),
            }
        }
        statuses.insert(name, status);
    }
    Ok((are_met, statuses.into_values().collect()))
}

/// Whether OLM made a role and a binding for a permission, by their hashes. For ClusterRoles the reference looks for the hash of a
/// binding to a Role, which none has.
fn were_created(api: &ApiServer, version: &Object, permission: &Value, namespace: &str) -> bool {
    let (role_kind, binding_kind) = match namespace {
        "" => ("ClusterRole", "ClusterRoleBinding"),
        _ => ("Role", "RoleBinding"),
    };
    let labelled = |kind: &str, hash: &str| {
        let id = api.kind_id(RBAC, kind)?;
        let mut all = api.store().with_label(id, PERMISSIONS_HASH, hash);
        all.find(|one| one.namespace() == namespace && is_managed(one) && is_labelled_by(one, version))
            .cloned()
    };
    let Some(role) = labelled(role_kind, &rules_hash(permission.list(&["rules"]))) else { return false };
    let reference = json!({"apiGroup": RBAC, "kind": "Role", "name": role.name()});
    let subject = json!({
        "kind": "ServiceAccount", "name": permission.text(&["serviceAccountName"]), "namespace": version.namespace(),
    });
    labelled(binding_kind, &binding_hash(&reference, &[subject])).is_some()
}

/// Whether an account may do all that a rule allows.
fn is_satisfied(
    api: &ApiServer,
    account: &ObjectName,
    namespace: &str,
    rule: &Value,
) -> Result<bool, LookError> {
    if rule.list(&["verbs"]).is_empty() {
        return fail("rule invalid: policy rule must have at least one verb");
    }
    let lists = ["apiGroups", "resources", "resourceNames"];
    if !rule.list(&["nonResourceURLs"]).is_empty() && lists.iter().any(|list| !rule.list(&[list]).is_empty())
    {
        return Err("rule invalid: rule cannot apply to both regular resources and non-resource URLs".into());
    }
    // Its groups do not count.
    let name = format!("system:serviceaccount:{}:{}", account.namespace, account.name);
    let user = User { name, ..User::default() };
    let texts = |list: &str| -> Vec<&str> {
        let texts: Vec<&str> = rule.list(&[list]).iter().filter_map(Value::as_str).collect();
        if texts.is_empty() { vec![""] } else { texts }
    };
    let (groups, resources) = (texts("apiGroups"), texts("resources"));
    let (names, paths) = (texts("resourceNames"), texts("nonResourceURLs"));
    let may = |attributes| api.authorizer().allows(&user, attributes);
    Ok(texts("verbs").into_iter().all(|verb| {
        paths.iter().all(|path| {
            if !path.is_empty() {
                return may(Attributes::Path { verb, path });
            }
            groups.iter().all(|group| {
                resources.iter().all(|resource| {
                    names.iter().all(|name| {
                        // A name with a subresource, as `pods/log`, is compared as a whole.
                        may(Attributes::Resource { verb, group, resource, subresource: "", namespace, name })
                    })
                })
            })
        })
    }))
}
