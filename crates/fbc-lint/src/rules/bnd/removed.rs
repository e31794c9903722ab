//! APIs that Kubernetes has removed.
//!
//! Source: `kubernetes/website:content/en/docs/reference/using-api/deprecation-guide.md`.

use fbc_version::Version;

use crate::bundle::{BundleContext, Object};

/// A removed version of a kind.
pub(super) struct Removed {
    group: &'static str,
    version: &'static str,
    kinds: &'static [&'static str],
    /// The minor version of Kubernetes 1.x that does not have it any more.
    pub(super) since: u64,
    /// What to use in its place; empty where there is nothing.
    pub(super) replacement: &'static str,
}

const REMOVED: [Removed; 27] = [
    removed("extensions", "v1beta1", &["Deployment", "DaemonSet", "ReplicaSet"], 16, "apps/v1"),
    removed("extensions", "v1beta1", &["NetworkPolicy"], 16, "networking.k8s.io/v1"),
    removed("extensions", "v1beta1", &["PodSecurityPolicy"], 16, ""),
    removed("apps", "v1beta1", &["Deployment", "ReplicaSet", "StatefulSet"], 16, "apps/v1"),
    removed("apps", "v1beta2", &["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"], 16, "apps/v1"),
    removed(
        "admissionregistration.k8s.io",
        "v1beta1",
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        22,
        "admissionregistration.k8s.io/v1",
    ),
    removed("apiextensions.k8s.io", "v1beta1", &["CustomResourceDefinition"], 22, "apiextensions.k8s.io/v1"),
    removed("apiregistration.k8s.io", "v1beta1", &["APIService"], 22, "apiregistration.k8s.io/v1"),
    removed("authentication.k8s.io", "v1beta1", &["TokenReview"], 22, "authentication.k8s.io/v1"),
    removed(
        "authorization.k8s.io",
        "v1beta1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SubjectAccessReview",
            "SelfSubjectRulesReview",
        ],
        22,
        "authorization.k8s.io/v1",
    ),
    removed("certificates.k8s.io", "v1beta1", &["CertificateSigningRequest"], 22, "certificates.k8s.io/v1"),
    removed("coordination.k8s.io", "v1beta1", &["Lease"], 22, "coordination.k8s.io/v1"),
    removed("extensions", "v1beta1", &["Ingress"], 22, "networking.k8s.io/v1"),
    removed("networking.k8s.io", "v1beta1", &["Ingress", "IngressClass"], 22, "networking.k8s.io/v1"),
    removed(
        "rbac.authorization.k8s.io",
        "v1beta1",
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
        22,
        "rbac.authorization.k8s.io/v1",
    ),
    removed("scheduling.k8s.io", "v1beta1", &["PriorityClass"], 22, "scheduling.k8s.io/v1"),
    removed(
        "storage.k8s.io",
        "v1beta1",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
        22,
        "storage.k8s.io/v1",
    ),
    removed("batch", "v1beta1", &["CronJob"], 25, "batch/v1"),
    removed("discovery.k8s.io", "v1beta1", &["EndpointSlice"], 25, "discovery.k8s.io/v1"),
    removed("events.k8s.io", "v1beta1", &["Event"], 25, "events.k8s.io/v1"),
    removed("autoscaling", "v2beta1", &["HorizontalPodAutoscaler"], 25, "autoscaling/v2"),
    removed("policy", "v1beta1", &["PodDisruptionBudget"], 25, "policy/v1"),
    removed("policy", "v1beta1", &["PodSecurityPolicy"], 25, ""),
    removed("node.k8s.io", "v1beta1", &["RuntimeClass"], 25, "node.k8s.io/v1"),
    removed("autoscaling", "v2beta2", &["HorizontalPodAutoscaler"], 26, "autoscaling/v2"),
    removed("storage.k8s.io", "v1beta1", &["CSIStorageCapacity"], 27, "storage.k8s.io/v1"),
    removed(
        "flowcontrol.apiserver.k8s.io",
        "v1beta3",
        &["FlowSchema", "PriorityLevelConfiguration"],
        32,
        "flowcontrol.apiserver.k8s.io/v1",
    ),
];

const fn removed(
    group: &'static str,
    version: &'static str,
    kinds: &'static [&'static str],
    since: u64,
    replacement: &'static str,
) -> Removed {
    Removed { group, version, kinds, since, replacement }
}

impl Removed {
    /// What to do about it.
    pub(super) fn help(&self) -> String {
        match self.replacement {
            "" => "there is nothing in its place: remove the object".to_owned(),
            replacement => format!("write `apiVersion: {replacement}`, and bring the object into its form"),
        }
    }
}

/// The objects of removed APIs.
pub(super) fn objects<'c, 'b>(
    context: &'c BundleContext<'b>,
) -> impl Iterator<Item = (&'c Object<'b>, &'static Removed)> {
    context.objects.iter().filter_map(|object| Some((object, find(object)?)))
}

fn find(object: &Object<'_>) -> Option<&'static Removed> {
    find_kind(object.group, object.version, object.kind)
}

fn find_kind(group: &str, version: &str, kind: &str) -> Option<&'static Removed> {
    static TABLE: &[Removed] = &REMOVED;
    TABLE
        .iter()
        .find(|removed| removed.group == group && removed.version == version && removed.kinds.contains(&kind))
}

/// The minor version of Kubernetes 1.x since which a version of a kind is gone; nothing if it is still there.
pub fn removed_since(group: &str, version: &str, kind: &str) -> Option<u64> {
    find_kind(group, version, kind).map(|removed| removed.since)
}

/// The clusters that the bundle says, or the user says, it is for, and that are without the API.
pub(super) fn targets_without(context: &BundleContext<'_>, removed: &Removed) -> Vec<String> {
    let mut clusters = context.targets.clusters();
    if let Some(least) = context.csv.and_then(|csv| Version::parse(csv.spec_text("minKubeVersion")).ok())
        && least.major() == 1
    {
        clusters.push((least.minor(), format!("Kubernetes {least} (`minKubeVersion`)")));
    }
    clusters.into_iter().filter(|(minor, _)| *minor >= removed.since).map(|(_, name)| name).collect()
}
