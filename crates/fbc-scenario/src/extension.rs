//! An extension that wants one version, what it needs around it, and what it tells an operator to watch that cannot watch
//! all namespaces.

use fbc_cluster::object::{Object, ObjectFields as _};
use fbc_olm::FeatureGates;
use fbc_olm::names::CLUSTER_EXTENSION;
use serde_json::json;

/// The namespace that an operator watches that can watch neither all namespaces nor its own.
const OTHER_NAMESPACE: &str = "watched";

/// The namespace that an extension must name, by the install modes that its bundle supports. An operator that cannot
/// watch all namespaces does not say which one it should; its own comes first.
pub(crate) fn watch_namespace<'n>(
    supports: impl Fn(&str) -> bool,
    namespace: &'n str,
    gates: &FeatureGates,
) -> Option<&'n str> {
    let must_be_told = gates.single_own_namespace_install_support && !supports("AllNamespaces");
    must_be_told.then(|| if supports("OwnNamespace") { namespace } else { OTHER_NAMESPACE })
}

/// An extension that wants a version of a package.
pub(crate) fn extension(
    name: &str,
    namespace: &str,
    package: &str,
    version: &str,
    watch_namespace: Option<&str>,
) -> Object {
    let mut extension = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": CLUSTER_EXTENSION, "metadata": {"name": name},
        "spec": {
            "namespace": namespace, "serviceAccount": {"name": "installer"},
            "source": {"sourceType": "Catalog", "catalog": {"packageName": package, "version": version}},
        },
    });
    if let Some(watched) = watch_namespace {
        let config = json!({"configType": "Inline", "inline": {"watchNamespace": watched}});
        extension.set(&["spec", "config"], config);
    }
    extension
}

/// The namespaces of an extension, and an account that may do everything.
pub(crate) fn surroundings(namespace: &str) -> [Object; 4] {
    [
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": OTHER_NAMESPACE}}),
        json!({"apiVersion": "v1", "kind": "ServiceAccount",
               "metadata": {"name": "installer", "namespace": namespace}}),
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
               "metadata": {"name": "installer"},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
               "subjects": [{"kind": "ServiceAccount", "name": "installer", "namespace": namespace}]}),
    ]
}
