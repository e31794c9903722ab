//! APIs that Kubernetes has removed.
//!
//! Source: `kubernetes/website:content/en/docs/reference/using-api/deprecation-guide.md`.

/// A removed version of kinds.
#[derive(Debug)]
pub struct RemovedApi {
    group: &'static str,
    version: &'static str,
    kinds: &'static [&'static str],
    /// The minor version of Kubernetes 1.x that does not have it any more.
    pub since: u64,
    /// What to use in its place; empty where there is nothing.
    pub replacement: &'static str,
}

static REMOVED: [RemovedApi; 29] = [
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
    removed(
        "flowcontrol.apiserver.k8s.io",
        "v1beta1",
        &["FlowSchema", "PriorityLevelConfiguration"],
        26,
        "flowcontrol.apiserver.k8s.io/v1",
    ),
    removed("storage.k8s.io", "v1beta1", &["CSIStorageCapacity"], 27, "storage.k8s.io/v1"),
    removed(
        "flowcontrol.apiserver.k8s.io",
        "v1beta2",
        &["FlowSchema", "PriorityLevelConfiguration"],
        29,
        "flowcontrol.apiserver.k8s.io/v1",
    ),
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
) -> RemovedApi {
    RemovedApi { group, version, kinds, since, replacement }
}

/// What is known of a version of a kind that is gone; nothing if it is still there.
#[must_use]
pub fn removed_api(group: &str, version: &str, kind: &str) -> Option<&'static RemovedApi> {
    REMOVED.iter().find(|api| api.group == group && api.version == version && api.kinds.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_a_kind_is_found_with_what_takes_its_place() {
        let flow = "flowcontrol.apiserver.k8s.io";
        for (group, version, kind, expected) in [
            ("batch", "v1beta1", "CronJob", Some((25, "batch/v1"))),
            ("batch", "v1", "CronJob", None),
            ("batch", "v1beta1", "Job", None),
            // One version of a group may go at several times, and one kind in several versions.
            ("extensions", "v1beta1", "DaemonSet", Some((16, "apps/v1"))),
            ("extensions", "v1beta1", "Ingress", Some((22, "networking.k8s.io/v1"))),
            ("policy", "v1beta1", "PodSecurityPolicy", Some((25, ""))),
            ("storage.k8s.io", "v1beta1", "CSINode", Some((22, "storage.k8s.io/v1"))),
            ("storage.k8s.io", "v1beta1", "CSIStorageCapacity", Some((27, "storage.k8s.io/v1"))),
            (flow, "v1beta1", "FlowSchema", Some((26, "flowcontrol.apiserver.k8s.io/v1"))),
            (flow, "v1beta2", "PriorityLevelConfiguration", Some((29, "flowcontrol.apiserver.k8s.io/v1"))),
            (flow, "v1beta3", "FlowSchema", Some((32, "flowcontrol.apiserver.k8s.io/v1"))),
            (flow, "v1", "FlowSchema", None),
        ] {
            let found = removed_api(group, version, kind).map(|api| (api.since, api.replacement));
            assert_eq!(found, expected, "{group}/{version} {kind}");
        }
    }

    #[test]
    fn every_version_of_a_kind_is_there_once_and_leads_to_one_that_stays() {
        assert!(REMOVED.is_sorted_by_key(|api| api.since));
        for api in &REMOVED {
            for kind in api.kinds {
                let is_it = |other: &&RemovedApi| {
                    (other.group, other.version) == (api.group, api.version) && other.kinds.contains(kind)
                };
                assert_eq!(
                    REMOVED.iter().filter(is_it).count(),
                    1,
                    "{kind} of {}/{}",
                    api.group,
                    api.version
                );
                let (group, version) = api.replacement.split_once('/').unwrap_or_default();
                assert!(removed_api(group, version, kind).is_none(), "{kind} of {}", api.replacement);
            }
        }
    }
}
