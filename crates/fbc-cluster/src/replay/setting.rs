//! The cluster that recorded scenarios were played on: an API server, four controllers of the control plane, a stand-in
//! for the controller of Deployments, and OLM v1.

use std::sync::Arc;

use serde_json::{Value, json};

use super::deployments::Deployments;
use crate::access::default_objects;
use crate::api::{ApiServer, Caller, WriteOptions};
use crate::controllers::definitions::Definitions;
use crate::controllers::garbage::GarbageCollector;
use crate::controllers::namespaces::Namespaces;
use crate::controllers::roles::RoleAggregation;
use crate::engine::{Cluster, Controller};
use crate::kind::{Kind, Registry};
use crate::object::{Object, ObjectFields};
use crate::olm::Options;
use crate::olm::catalogd::{Catalogd, NameLabel};
use crate::olm::content::SharedImages;
use crate::olm::operator_controller::OperatorController;
use crate::olm::revisions::Revisions;
use crate::schema::olm::{Edition, definitions};
use crate::time::{Moment, SECOND};

/// Group, version, kind, plural, whether objects live in namespaces, whether they have a status.
const KINDS: [(&str, &str, &str, &str, bool, bool); 16] = [
    ("", "v1", "Namespace", "namespaces", false, true),
    ("", "v1", "ConfigMap", "configmaps", true, false),
    ("", "v1", "Secret", "secrets", true, false),
    ("", "v1", "ServiceAccount", "serviceaccounts", true, false),
    ("", "v1", "Service", "services", true, true),
    ("apps", "v1", "Deployment", "deployments", true, true),
    ("rbac.authorization.k8s.io", "v1", "Role", "roles", true, false),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", true, false),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false, false),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", false, false),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false, true),
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        false,
        false,
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        false,
        false,
    ),
    ("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true, true),
    ("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false, false),
    ("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", true, false),
];

/// Kinds whose wanted state the API server does not count.
const WITHOUT_GENERATION: [&str; 9] = [
    "Namespace",
    "ConfigMap",
    "Secret",
    "ServiceAccount",
    "Service",
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
];

fn registry() -> Registry {
    let mut registry = Registry::default();
    for (group, version, kind, plural, namespaced, has_status) in KINDS {
        registry.register(Kind {
            group: group.into(),
            versions: vec![version.into()],
            kind: kind.into(),
            plural: plural.into(),
            singular: kind.to_lowercase(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced,
            has_status,
            has_generation: !WITHOUT_GENERATION.contains(&kind),
        });
    }
    registry
}

/// The cluster, with OLM installed and nothing in it.
pub(super) fn cluster(options: &Options, is_experimental: bool, images: &SharedImages, seed: u64) -> Cluster {
    let mut api = ApiServer::new(registry(), seed);
    let caller = Caller::administrator("kube-apiserver");
    for name in ["default", "kube-system", &options.system_namespace] {
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        });
        // An empty cluster refuses none of these.
        let _ = api.create(&caller, namespace, WriteOptions::default());
    }
    for object in default_objects() {
        let _ = api.create(&caller, object, WriteOptions::default());
    }
    let edition = if is_experimental { Edition::LATEST_EXPERIMENTAL } else { Edition::LATEST };
    for definition in definitions(edition) {
        // OLM's own definitions are valid.
        let _ = api.install_definition(definition);
    }
    api.add_mutator(Box::new(NameLabel));
    let controllers: [Box<dyn Controller>; 6] = [
        Box::new(GarbageCollector::default()),
        Box::new(Namespaces::default()),
        Box::new(RoleAggregation::default()),
        Box::new(Definitions::new(next_status)),
        Box::new(Deployments::new()),
        Box::new(Catalogd::new(options.clone(), images.clone(), seed)),
    ];
    let mut cluster = Cluster::new(api);
    for controller in controllers {
        cluster.add_controller(controller);
    }
    add_operator_controller(&mut cluster, options, images);
    // Roles of the cluster are put together before anybody looks. Nothing fights in a cluster without objects.
    let begun = cluster.now() + SECOND;
    let _ = cluster.run_until(begun);
    cluster
}

/// Starts operator-controller.
pub(super) fn add_operator_controller(cluster: &mut Cluster, options: &Options, images: &SharedImages) {
    cluster.add_controller(Box::new(OperatorController::new(options.clone(), images.clone())));
    if options.gates.boxcutter_runtime {
        let revisions = Revisions::new(options.clone(), &cluster.api);
        cluster.add_controller(Box::new(revisions));
    }
}

/// The status of a definition whose names nobody else has.
fn next_status(definition: &Object, _group: &[Arc<Object>], now: Moment) -> Value {
    let mut status = definition["status"].clone();
    if definition.condition_status("Established") == "True" {
        return status;
    }
    let condition = |name: &str, reason: &str, message: &str| json!({"type": name, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now.to_string()});
    status["conditions"] = json!([
        condition("NamesAccepted", "NoConflicts", "no conflicts found"),
        condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
    ]);
    status["acceptedNames"] = definition["spec"]["names"].clone();
    status
}
