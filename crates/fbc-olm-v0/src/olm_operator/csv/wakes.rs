//! Which changes make the controller look at a ClusterServiceVersion again.
//!
//! Definitions wake nobody: the reference looks for labels of APIs that are never set (V0-095, V0-162).
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`
//! (`syncObject`, `handleDeletion`, `requeueOwnerCSVs`, `syncSubscription`, `syncAPIService`).

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;

use super::super::owners::{is_managed, labelled_version, referenced_versions};
use super::object::{originals, reason};
use crate::names::{
    API_REGISTRATION, CLUSTER_SERVICE_VERSION, EXTENSIONS, GROUP, OPERATOR_CONDITION, RBAC, SUBSCRIPTION,
};

/// What the controller hears of. Definitions matter to those that the reference looks at without pause.
pub const WATCHES: &[(&str, &str)] = &[
    (GROUP, CLUSTER_SERVICE_VERSION),
    (GROUP, SUBSCRIPTION),
    (GROUP, OPERATOR_CONDITION),
    ("apps", "Deployment"),
    ("", "Secret"),
    ("", "Service"),
    ("", "ServiceAccount"),
    (RBAC, "Role"),
    (RBAC, "RoleBinding"),
    (RBAC, "ClusterRole"),
    (RBAC, "ClusterRoleBinding"),
    (API_REGISTRATION, "APIService"),
    (EXTENSIONS, "CustomResourceDefinition"),
];

/// The kinds of which informers see only what OLM has labelled.
fn is_filtered(kind: (&str, &str)) -> bool {
    ["", "apps", RBAC].contains(&kind.0)
}

/// Whether a kind is about rights.
pub fn is_about_rights(kind: (&str, &str)) -> bool {
    [(RBAC, "Role"), (RBAC, "RoleBinding"), ("", "ServiceAccount")].contains(&kind)
}

/// The operators of a namespace whose installation was given up.
pub fn given_up(api: &ApiServer, namespace: &str) -> Vec<ObjectName> {
    let all = originals(api, namespace).into_iter();
    let given_up = all.filter(|version| reason(version) == "InstallComponentFailedNoRetry");
    given_up.map(|version| version.object_name()).collect()
}

/// Adds the ClusterServiceVersions that own what changed, or that a Subscription has installed.
pub fn owners(change: &Change, kind: (&str, &str), requests: &mut Vec<ObjectName>) {
    if kind == (EXTENSIONS, "CustomResourceDefinition") {
        return;
    }
    let is_seen = |object: &&Object| !is_filtered(kind) || is_managed(object);
    let after = change.after.as_deref().filter(is_seen);
    let Some(object) = after.or(change.before.as_deref().filter(is_seen)) else { return };
    if kind == (GROUP, SUBSCRIPTION) {
        let installed = object.text(&["status", "installedCSV"]);
        if after.is_some() && !installed.is_empty() {
            requests.push(ObjectName::namespaced(object.namespace(), installed));
        }
        return;
    }
    let mut referenced = referenced_versions(object).peekable();
    if !object.namespace().is_empty() && referenced.peek().is_some() {
        requests.extend(referenced);
    } else if after.is_none() || kind == (API_REGISTRATION, "APIService") {
        // Labels count when something is gone, and for APIServices.
        requests.extend(labelled_version(object));
    }
}
