//! Builds the cluster of a scenario: kinds, controllers, and what every cluster has.

use serde_json::json;

use super::Content;
use crate::access::default_objects;
use crate::api::{ApiServer, Caller, WriteOptions};
use crate::controllers::accounts::{RootCertificates, ServiceAccounts};
use crate::controllers::definitions::Definitions;
use crate::controllers::garbage::GarbageCollector;
use crate::controllers::namespaces::Namespaces;
use crate::controllers::roles::RoleAggregation;
use crate::engine::{Cluster, Controller};
use crate::kind::{Kind, Registry};
use crate::object::{Object, ObjectFields};
use crate::olm::catalogd::{Catalogd, NameLabel};
use crate::olm::content::SharedImages;
use crate::olm::operator_controller::OperatorController;
use crate::olm::revisions::Revisions;
use crate::olm::{FeatureGates, Options, Target};
use crate::replay::deployments::Deployments;
use crate::replay::setting::next_status;
use crate::scenario::fault::{Place, ScenarioFault};
use crate::scenario::model::Scenario;
use crate::schema::olm::{Edition, definitions};

/// Group, version, kind, plural, whether objects live in namespaces, short names.
const KINDS: [(&str, &str, &str, &str, bool, &str); 26] = [
    ("", "v1", "Namespace", "namespaces", false, "ns"),
    ("", "v1", "ConfigMap", "configmaps", true, "cm"),
    ("", "v1", "Secret", "secrets", true, ""),
    ("", "v1", "ServiceAccount", "serviceaccounts", true, "sa"),
    ("", "v1", "Service", "services", true, "svc"),
    ("", "v1", "Pod", "pods", true, "po"),
    ("", "v1", "Node", "nodes", false, "no"),
    ("", "v1", "Event", "events", true, "ev"),
    ("apps", "v1", "Deployment", "deployments", true, "deploy"),
    ("apps", "v1", "ReplicaSet", "replicasets", true, "rs"),
    ("apps", "v1", "StatefulSet", "statefulsets", true, "sts"),
    ("apps", "v1", "DaemonSet", "daemonsets", true, "ds"),
    ("batch", "v1", "Job", "jobs", true, ""),
    ("rbac.authorization.k8s.io", "v1", "Role", "roles", true, ""),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", true, ""),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false, ""),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", false, ""),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false, "crd crds"),
    ("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", false, ""),
    ("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", false, ""),
    ("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true, "pdb"),
    ("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false, "pc"),
    ("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", true, "netpol"),
    ("coordination.k8s.io", "v1", "Lease", "leases", true, ""),
    ("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", true, ""),
    ("storage.k8s.io", "v1", "StorageClass", "storageclasses", false, "sc"),
];

/// Kinds with a status that is written apart.
const WITH_STATUS: [&str; 12] = [
    "Namespace", "Service", "Pod", "Node", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job",
    "CustomResourceDefinition", "PodDisruptionBudget", "NetworkPolicy",
];
/// Kinds whose wanted state the API server counts.
const WITH_GENERATION: [&str; 10] = [
    "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CustomResourceDefinition",
    "PodDisruptionBudget", "NetworkPolicy", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
];

fn registry() -> Registry {
    let mut registry = Registry::default();
    for (group, version, kind, plural, namespaced, short) in KINDS {
        registry.register(Kind {
            group: group.to_owned(),
            versions: vec![version.to_owned()],
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            singular: kind.to_lowercase(),
            short_names: short.split_whitespace().map(str::to_owned).collect(),
            categories: Vec::new(),
            namespaced,
            has_status: WITH_STATUS.contains(&kind),
            has_generation: WITH_GENERATION.contains(&kind),
        });
    }
    registry
}

/// How OLM v1 is set up for a scenario; gates were checked before.
pub(super) fn options(scenario: &Scenario) -> Options {
    let mut options = Options::of(scenario.target);
    for (name, value) in &scenario.feature_gates {
        // Names are checked by [`check`]; an unknown one changes nothing.
        let _ = options.gates.set(&format!("{name}={value}"));
    }
    options
}

/// Which definitions go with the gates: some fields exist in the experimental ones only.
fn edition(options: &Options) -> Edition {
    let gates = &options.gates;
    let is_experimental = gates.boxcutter_runtime
        || gates.deployment_config
        || gates.single_own_namespace_install_support
        || gates.bundle_release_support;
    match (options.target, is_experimental) {
        (Target::Ocp419, _) => Edition::OCP_4_19,
        (Target::Latest, true) => Edition::LATEST_EXPERIMENTAL,
        (Target::Latest, false) => Edition::LATEST,
    }
}

/// The API server of a scenario, with OLM's definitions and the roles of every cluster.
pub(in crate::scenario) fn api_server(scenario: &Scenario, seed: u64) -> ApiServer {
    let options = options(scenario);
    let mut api = ApiServer::new(registry(), seed);
    api.advance_to(scenario.start);
    let caller = Caller::administrator("kube-apiserver");
    let namespace = |name: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let namespaces = ["default", "kube-system", &options.system_namespace].map(namespace);
    for object in namespaces.into_iter().chain(default_objects()) {
        // An empty cluster refuses none of these.
        let _ = api.create(&caller, object, WriteOptions::default());
    }
    for definition in definitions(edition(&options)) {
        // Tests hold that OLM's definitions are accepted.
        let _ = api.install_definition(definition);
    }
    api
}

/// The cluster of a scenario, without its objects.
pub(super) fn cluster(scenario: &Scenario, images: &SharedImages, seed: u64) -> Cluster {
    let options = options(scenario);
    let mut api = api_server(scenario, seed);
    api.add_mutator(Box::new(NameLabel));
    let mut controllers: Vec<Box<dyn Controller>> = vec![
        Box::new(GarbageCollector::default()),
        Box::new(Namespaces::default()),
        Box::new(ServiceAccounts),
        Box::new(RootCertificates),
        Box::new(RoleAggregation::default()),
        Box::new(Definitions::new(next_status)),
        Box::new(Deployments::new()),
        Box::new(Catalogd::new(options.clone(), images.clone(), seed)),
        Box::new(OperatorController::new(options.clone(), images.clone())),
    ];
    if options.gates.boxcutter_runtime {
        controllers.push(Box::new(Revisions::new(options, &api)));
    }
    let mut cluster = Cluster::new(api);
    for controller in controllers {
        cluster.add_controller(controller);
    }
    cluster
}

/// What a scenario asks of the cluster that it does not have.
pub(in crate::scenario) fn check(scenario: &Scenario) -> Vec<ScenarioFault> {
    let mut gates = FeatureGates::of(scenario.target);
    let mut faults = Vec::new();
    for (name, value) in &scenario.feature_gates {
        if gates.set(&format!("{name}={value}")).is_err() {
            faults.push(ScenarioFault {
                file: scenario.file.clone(),
                place: Place { line: 1, column: 1 },
                message: format!("there is no feature gate {name:?}"),
                help: Some(format!("there are {}", FeatureGates::NAMES.join(", "))),
            });
        }
    }
    faults
}

/// Pushes what a scenario starts with.
pub(super) fn push(scenario: &Scenario, content: &Content, images: &SharedImages) -> Vec<String> {
    let mut faults = Vec::new();
    for catalog in &scenario.catalogs {
        let found = content.replaced.get(&catalog.name).or(content.catalogs.get(&catalog.content.text));
        let Some(image) = found else { continue };
        faults.extend(images.borrow_mut().push(&catalog.image, image.clone()).err());
    }
    for bundle in &scenario.bundles {
        let Some(image) = content.bundles.get(&bundle.content.text) else { continue };
        faults.extend(images.borrow_mut().push(&bundle.image, image.clone()).err());
    }
    if scenario.empty_bundles {
        for (reference, image) in &content.empty {
            if images.borrow().pull(reference).is_err() {
                faults.extend(images.borrow_mut().push(reference, image.clone()).err());
            }
        }
    }
    faults.iter().map(ToString::to_string).collect()
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
