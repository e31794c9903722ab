//! Which phase of a revision an object belongs to.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/applier/phase.go`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use fbc_cluster::kind::GroupVersionKind;
use fbc_cluster::object::{Object, ObjectFields};

/// A kind, by group and name.
type GroupKind = (&'static str, &'static str);

/// The phases in the order in which they roll out, with their kinds.
const PHASES: [(&str, &[GroupKind]); 13] = [
    ("namespaces", &[("", "Namespace")]),
    (
        "policies",
        &[
            ("networking.k8s.io", "NetworkPolicy"),
            ("policy", "PodDisruptionBudget"),
            ("scheduling.k8s.io", "PriorityClass"),
        ],
    ),
    ("identity", &[("", "ServiceAccount")]),
    ("configuration", &[("", "Secret"), ("", "ConfigMap")]),
    (
        "storage",
        &[("", "PersistentVolume"), ("", "PersistentVolumeClaim"), ("storage.k8s.io", "StorageClass")],
    ),
    ("crds", &[("apiextensions.k8s.io", "CustomResourceDefinition")]),
    ("roles", &[("rbac.authorization.k8s.io", "ClusterRole"), ("rbac.authorization.k8s.io", "Role")]),
    (
        "bindings",
        &[("rbac.authorization.k8s.io", "ClusterRoleBinding"), ("rbac.authorization.k8s.io", "RoleBinding")],
    ),
    ("infrastructure", &[("", "Service"), ("cert-manager.io", "Issuer"), ("cert-manager.io", "Certificate")]),
    (DEPLOY, &[("apps", "Deployment")]),
    ("scaling", &[("autoscaling.k8s.io", "VerticalPodAutoscaler")]),
    (
        "publish",
        &[
            ("monitoring.coreos.com", "PrometheusRule"),
            ("monitoring.coreos.com", "ServiceMonitor"),
            ("monitoring.coreos.com", "PodMonitor"),
            ("networking.k8s.io", "Ingress"),
            ("route.openshift.io", "Route"),
            ("console.openshift.io", "ConsoleYAMLSample"),
            ("console.openshift.io", "ConsoleQuickStart"),
            ("console.openshift.io", "ConsoleCLIDownload"),
            ("console.openshift.io", "ConsoleLink"),
            ("console.openshift.io", "ConsolePlugin"),
        ],
    ),
    (
        "admission",
        &[
            ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
            ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
        ],
    ),
];

/// The phase of every kind that no phase names.
const DEPLOY: &str = "deploy";

/// The phase of a kind.
fn phase_of(group: &str, kind: &str) -> &'static str {
    PHASES.iter().find(|(_, kinds)| kinds.contains(&(group, kind))).map_or(DEPLOY, |(name, _)| name)
}

/// `spec.phases` of a revision with these objects in it, each phase sorted by group, version, kind, namespace, name.
pub(super) fn sorted(objects: Vec<Object>) -> Value {
    let mut objects: Vec<(GroupVersionKind, Object)> = objects
        .into_iter()
        .map(|object| (GroupVersionKind::of(object.api_version(), object.kind()), object))
        .collect();
    objects.sort_by(|(kind, one), (other_kind, other)| {
        (kind, one.namespace(), one.name()).cmp(&(other_kind, other.namespace(), other.name()))
    });
    let mut by_phase: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (kind, object) in objects {
        let entry = Map::from_iter([("object".to_owned(), object)]);
        by_phase.entry(phase_of(&kind.group, &kind.kind)).or_default().push(entry.into());
    }
    PHASES
        .iter()
        .filter_map(|(name, _)| {
            let objects = by_phase.remove(name)?;
            Some(Map::from_iter([
                ("name".to_owned(), (*name).into()),
                ("objects".to_owned(), objects.into()),
            ]))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_go_to_phases_in_order() {
        let object = |api_version: &str, kind: &str, namespace: &str, name: &str| json!({"apiVersion": api_version, "kind": kind, "metadata": {"namespace": namespace, "name": name}});
        let phases = sorted(vec![
            object("apps/v1", "Deployment", "a", "web"),
            object("example.com/v1", "Widget", "a", "one"),
            object("v1", "ConfigMap", "b", "one"),
            object("v1", "ConfigMap", "a", "two"),
            object("v1", "Secret", "a", "one"),
            object("v1", "ConfigMap", "a", "one"),
            object("rbac.authorization.k8s.io/v1", "RoleBinding", "a", "one"),
            object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets.example.com"),
        ]);
        let names: Vec<(String, Vec<String>)> = phases
            .list(&[])
            .iter()
            .map(|phase| {
                let objects = phase.list(&["objects"]).iter().map(|entry| {
                    let object = &entry["object"];
                    format!("{} {}", object.kind(), object.object_name())
                });
                (phase.text(&["name"]).to_owned(), objects.collect())
            })
            .collect();
        let expected = [
            ("configuration", vec!["ConfigMap a/one", "ConfigMap a/two", "ConfigMap b/one", "Secret a/one"]),
            ("crds", vec!["CustomResourceDefinition widgets.example.com"]),
            ("bindings", vec!["RoleBinding a/one"]),
            ("deploy", vec!["Deployment a/web", "Widget a/one"]),
        ];
        assert_eq!(names.len(), expected.len());
        for ((name, objects), (expected_name, expected_objects)) in names.iter().zip(expected) {
            assert_eq!(
                (name.as_str(), objects),
                (expected_name, &expected_objects.iter().map(|one| (*one).to_owned()).collect())
            );
        }
    }
}
