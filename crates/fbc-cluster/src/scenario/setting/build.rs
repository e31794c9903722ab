//! Builds the cluster of a scenario: kinds, controllers, namespaces that every cluster has.

use serde_json::json;

use crate::api::{ApiServer, Caller, WriteOptions};
use crate::engine::Cluster;
use crate::kind::{Kind, Registry};
use crate::object::{Object, ObjectFields};
use crate::scenario::fault::ScenarioFault;
use crate::scenario::model::Scenario;

/// Kinds until those of the other modules are there: group, version, kind, plural, namespaced, short name.
const KINDS: [(&str, &str, &str, &str, bool, &str); 16] = [
    ("", "v1", "Namespace", "namespaces", false, "ns"),
    ("", "v1", "ConfigMap", "configmaps", true, "cm"),
    ("", "v1", "Secret", "secrets", true, ""),
    ("", "v1", "ServiceAccount", "serviceaccounts", true, "sa"),
    ("", "v1", "Service", "services", true, "svc"),
    ("", "v1", "Pod", "pods", true, "po"),
    ("", "v1", "Event", "events", true, "ev"),
    ("apps", "v1", "Deployment", "deployments", true, "deploy"),
    ("apps", "v1", "ReplicaSet", "replicasets", true, "rs"),
    ("rbac.authorization.k8s.io", "v1", "Role", "roles", true, ""),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", true, ""),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false, ""),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", false, ""),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false, "crd"),
    ("olm.operatorframework.io", "v1", "ClusterCatalog", "clustercatalogs", false, ""),
    ("olm.operatorframework.io", "v1", "ClusterExtension", "clusterextensions", false, ""),
];

/// The cluster of a scenario, without its objects.
pub(in crate::scenario) fn cluster(scenario: &Scenario, seed: u64) -> Cluster {
    let mut registry = Registry::default();
    for (group, version, kind, plural, namespaced, short) in KINDS {
        registry.register(Kind {
            group: group.to_owned(),
            versions: vec![version.to_owned()],
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            singular: kind.to_lowercase(),
            short_names: if short.is_empty() { Vec::new() } else { vec![short.to_owned()] },
            categories: Vec::new(),
            namespaced,
            has_status: !["ConfigMap", "Secret", "ServiceAccount", "Event"].contains(&kind),
            has_generation: !["ConfigMap", "Secret", "ServiceAccount", "Event", "Namespace"].contains(&kind),
        });
    }
    let mut api = ApiServer::new(registry, seed);
    api.advance_to(scenario.start);
    let caller = Caller::administrator("kube-apiserver");
    for name in ["default", "kube-system"] {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        // The first objects of an empty cluster are not refused.
        let _ = api.create(&caller, namespace, WriteOptions::default());
    }
    Cluster::new(api)
}

/// What a scenario asks of the cluster that it does not have.
pub(in crate::scenario) fn check(scenario: &Scenario) -> Vec<ScenarioFault> {
    let _ = scenario;
    Vec::new()
}

/// The ClusterCatalogs of the start.
pub(super) fn catalog_objects(scenario: &Scenario) -> Vec<Object> {
    let catalogs = scenario.catalogs.iter().filter(|catalog| catalog.has_object);
    catalogs
        .map(|catalog| {
            let mut object = json!({
                "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog",
                "metadata": {"name": catalog.name},
                "spec": {"source": {"type": "Image", "image": {"ref": catalog.image}}},
            });
            if catalog.priority != 0 {
                object.set(&["spec", "priority"], catalog.priority);
            }
            if let Some(minutes) = catalog.poll_interval {
                object.set(&["spec", "source", "image", "pollIntervalMinutes"], minutes);
            }
            if !catalog.labels.is_empty() {
                object.set(&["metadata", "labels"], json!(catalog.labels));
            }
            object
        })
        .collect()
}
