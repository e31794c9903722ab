//! The objects of a release: in Helm's order, with the labels, annotations and owner that tell whose they are.
//!
//! Sources: `helm/helm:pkg/releaseutil/kind_sorter.go`, `pkg/action/validate.go`,
//! `operator-framework/helm-operator-plugins:pkg/client/actionclient.go`, and the chart of
//! `operator-framework/operator-controller:internal/operator-controller/applier/provider.go`.

use fbc_bundle::manifests;
use fbc_cluster::object::{Object, ObjectFields, controller_reference};
use fbc_go::json;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::names::{CLUSTER_EXTENSION, OWNER_KIND, OWNER_NAME};

/// Annotation of an object: the release that it belongs to.
pub(super) const RELEASE_NAME: &str = "meta.helm.sh/release-name";
/// Annotation of an object: the namespace of the release that it belongs to.
pub(super) const RELEASE_NAMESPACE: &str = "meta.helm.sh/release-namespace";
/// Label of an object: who manages it.
pub(super) const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The order in which kinds are made. Others come last, by name.
const INSTALL_ORDER: [&str; 39] = [
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
];

/// The manifest of a release of an extension.
pub(super) fn of(objects: &[manifests::Object], extension: &Object) -> Vec<Value> {
    let owner = controller_reference(extension);
    let mut named: Vec<(usize, String, String, Value)> = objects
        .iter()
        .map(|object| {
            let value = object.value.root().to_json();
            let template = template_name(&value);
            let rank =
                INSTALL_ORDER.iter().position(|kind| *kind == object.kind).unwrap_or(INSTALL_ORDER.len());
            let unknown = if rank == INSTALL_ORDER.len() { object.kind.clone() } else { String::new() };
            (rank, unknown, template, owned(value, &owner, extension))
        })
        .collect();
    named.sort_by(|left, right| (left.0, &left.1, &left.2).cmp(&(right.0, &right.1, &right.2)));
    named.into_iter().map(|(_, _, _, value)| value).collect()
}

/// The file of an object in the chart.
fn template_name(value: &Value) -> String {
    let digest = Sha256::digest(json::encode(value));
    let first = digest.first_chunk::<8>().copied().unwrap_or_default();
    format!("object-{:016x}.json", u64::from_be_bytes(first))
}

/// An object with what tells whose it is.
fn owned(mut value: Value, owner: &Value, extension: &Object) -> Value {
    without_nulls(&mut value);
    if value.api_version().starts_with("admissionregistration.k8s.io/") {
        // The renderer gives a namespace to webhooks of the whole cluster too; the API server ignores it.
        value.remove(&["metadata", "namespace"]);
    }
    let (name, namespace) = (extension.name(), extension.text(&["spec", "namespace"]));
    for (label, text) in [(OWNER_KIND, CLUSTER_EXTENSION), (OWNER_NAME, name), (MANAGED_BY, "Helm")] {
        value.set(&["metadata", "labels", label], text);
    }
    value.set(&["metadata", "annotations", RELEASE_NAME], name);
    value.set(&["metadata", "annotations", RELEASE_NAMESPACE], namespace);
    value.set(&["metadata", "ownerReferences"], Value::Array(vec![owner.clone()]));
    value
}

/// Takes members away that are null, as the decoder of the API server would.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// True if an object says that it belongs to a release, so that the release may take it over.
pub(super) fn belongs_to(object: &Object, release: &str, namespace: &str) -> bool {
    object.label(MANAGED_BY) == Some("Helm")
        && object.annotation(RELEASE_NAME) == Some(release)
        && object.annotation(RELEASE_NAMESPACE) == Some(namespace)
}
