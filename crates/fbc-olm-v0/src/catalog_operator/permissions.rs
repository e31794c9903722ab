//! The roles of an operator, made of what its ClusterServiceVersion asks for.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/registry/resolver/rbac.go`.

use fbc_bundle::kubernetes::TypeMismatch;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_kubernetes::types::Named;
use serde_json::{Map, Value, json};

use crate::go_json;
use crate::names::{
    CLUSTER_SERVICE_VERSION, OWNER, OWNER_KIND, OWNER_NAMESPACE, PERMISSIONS_HASH, RBAC, V1ALPHA1,
};

const PERMISSION: Named = Named::new("operators", "StrategyDeploymentPermissions");
const POLICY_RULE: Named = Named::new("rbac", "PolicyRule");
const ROLE_REFERENCE: Named = Named::new("rbac", "RoleRef");
const SUBJECT: Named = Named::new("rbac", "Subject");
/// Names are no longer than this.
const LONGEST: usize = 63;

/// An object without apiVersion and kind, and its kind.
pub(super) type Made = (&'static str, Value);

/// Accounts with their roles and bindings, account by account in the order of their names.
///
/// # Errors
/// A permission is not one.
pub(super) fn objects(version: &Object) -> Result<Vec<Made>, TypeMismatch> {
    let spec = &version["spec"]["install"]["spec"];
    let (permissions, cluster_permissions) =
        (spec.list(&["permissions"]), spec.list(&["clusterPermissions"]));
    let account = |permission: &Value| permission.text(&["serviceAccountName"]).to_owned();
    let mut accounts: Vec<String> = permissions.iter().chain(cluster_permissions).map(account).collect();
    accounts.sort();
    accounts.dedup();
    let mut made = Vec::new();
    for name in accounts {
        let namespaced: Vec<&Value> = permissions.iter().filter(|one| account(one) == name).collect();
        let of_cluster: Vec<&Value> = cluster_permissions.iter().filter(|one| account(one) == name).collect();
        if name != "default" {
            let mut metadata = json!({"name": name, "ownerReferences": [owner(version)]});
            if !namespaced.is_empty() {
                metadata["namespace"] = version.namespace().into();
            }
            made.push(("ServiceAccount", json!({"metadata": metadata})));
        }
        let roles = |permissions: &[&Value], is_of_cluster: bool| {
            permissions
                .iter()
                .map(|one| role(version, one, &name, is_of_cluster))
                .collect::<Result<Vec<_>, _>>()
        };
        for (permissions, is_of_cluster) in [(&namespaced, false), (&of_cluster, true)] {
            let pairs = roles(permissions, is_of_cluster)?;
            let kinds =
                if is_of_cluster { ["ClusterRole", "ClusterRoleBinding"] } else { ["Role", "RoleBinding"] };
            made.extend(pairs.iter().map(|[role, _]| (kinds[0], role.clone())));
            made.extend(pairs.iter().map(|[_, binding]| (kinds[1], binding.clone())));
        }
    }
    Ok(made)
}

/// A reference to the version that is not there yet.
fn owner(version: &Object) -> Value {
    json!({
        "apiVersion": V1ALPHA1, "kind": CLUSTER_SERVICE_VERSION, "name": version.name(), "uid": "",
        "controller": false, "blockOwnerDeletion": false,
    })
}

/// A role and its binding.
fn role(
    version: &Object,
    permission: &Value,
    account: &str,
    is_of_cluster: bool,
) -> Result<[Value; 2], TypeMismatch> {
    let name = role_name(version, permission, account, is_of_cluster)?;
    let rules = permission.list(&["rules"]);
    let hash = go_json::base62(list(rules, POLICY_RULE)?.as_bytes());
    let labels = |hash: String| {
        let mut labels = Map::new();
        labels.insert(OWNER.to_owned(), version.name().into());
        labels.insert(OWNER_NAMESPACE.to_owned(), version.namespace().into());
        labels.insert(OWNER_KIND.to_owned(), CLUSTER_SERVICE_VERSION.into());
        labels.insert(PERMISSIONS_HASH.to_owned(), hash.into());
        labels
    };
    let mut role = json!({"metadata": {"name": name, "labels": labels(hash)}, "rules": rules});
    let kind = if is_of_cluster { "ClusterRole" } else { "Role" };
    let reference = json!({"apiGroup": RBAC, "kind": kind, "name": name});
    let subjects = json!([{"kind": "ServiceAccount", "name": account, "namespace": version.namespace()}]);
    let hashed = format!(
        r#"{{"RoleRef":{},"Subjects":{}}}"#,
        go_json::encode(&reference, ROLE_REFERENCE)?,
        list(subjects.as_array().map(Vec::as_slice).unwrap_or_default(), SUBJECT)?
    );
    let mut binding = json!({
        "metadata": {"name": name, "labels": labels(go_json::base62(hashed.as_bytes()))},
        "subjects": subjects, "roleRef": reference,
    });
    binding.set(&["metadata", "namespace"], version.namespace());
    if !is_of_cluster {
        role.set(&["metadata", "namespace"], version.namespace());
        for object in [&mut role, &mut binding] {
            object.set(&["metadata", "ownerReferences"], json!([owner(version)]));
        }
    }
    Ok([role, binding])
}

fn list(items: &[Value], of: Named) -> Result<String, TypeMismatch> {
    let texts: Vec<String> = items.iter().map(|item| go_json::encode(item, of)).collect::<Result<_, _>>()?;
    Ok(format!("[{}]", texts.join(",")))
}

/// The version, for a role the account, and a hash of the permission.
fn role_name(
    version: &Object,
    permission: &Value,
    account: &str,
    is_of_cluster: bool,
) -> Result<String, TypeMismatch> {
    let text = |text: &str| Value::from(text).to_string();
    let name = version.name();
    let namespace = if is_of_cluster && !version.namespace().is_empty() {
        format!(r#""namespace":{},"#, text(version.namespace()))
    } else {
        String::new()
    };
    let permission = go_json::encode(permission, PERMISSION)?;
    let hash = go_json::hash(&format!(r#"{{"name":{},{namespace}"permission":{permission}}}"#, text(name)));
    let mut base = if is_of_cluster { name.to_owned() } else { format!("{name}-{account}") };
    if base.len() + hash.len() > LONGEST {
        let mut end = LONGEST - hash.len() - 1;
        while !base.is_char_boundary(end) {
            end -= 1;
        }
        base.truncate(end);
    }
    Ok(format!("{base}-{hash}"))
}
