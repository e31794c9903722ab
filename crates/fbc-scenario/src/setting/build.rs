//! Builds the cluster of a scenario: kinds, controllers, and what every cluster has.

use std::sync::Arc;

use fbc_cluster::add_ons::open_definition;
use fbc_cluster::admission::Plugins;
use fbc_cluster::admission::webhooks::stand_in::StandIn;
use fbc_cluster::api::{ApiServer, Caller, ServiceAddresses, Subresource, WriteOptions};
use fbc_cluster::control_plane;
use fbc_cluster::controllers::set::{Workloads, controllers};
use fbc_cluster::engine::Cluster;
use fbc_cluster::kubernetes_version::KubernetesVersion;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::schema::Specifications;
use fbc_cluster::time::Moment;
use fbc_olm::catalogd::{Catalogd, NameLabel};
use fbc_olm::cluster_operator::{self, ClusterOperator};
use fbc_olm::content::SharedImages;
use fbc_olm::default_catalogs::DefaultCatalogs;
use fbc_olm::definitions::{Edition, definitions, policies};
use fbc_olm::mirrors::{self, Mirrors};
use fbc_olm::names::{OPERATOR_CONTROLLER, REVISION_CONTROLLER};
use fbc_olm::{Options, Target};
use fbc_openshift::cluster_update::cluster::{INSTALLATION, NAMESPACES, Parts};
use fbc_openshift::cluster_version::ClusterVersionOperator;
use fbc_openshift::machines::hooks::HookWebhook;
use fbc_openshift::platform;
use fbc_version::OpenShiftRelease;
use serde_json::json;

use super::olm_v0::{self, OlmV0};
use super::updates::SharedOutside;
use super::{Content, StepError};
use crate::model::{Component, Scenario};
use crate::prepare::Prepared;

/// Where pods run in a cluster that declares no nodes.
const NODE: &str = "node";

/// The version of a cluster of this target; without OpenShift that of the first release with OLM v1 as it is played.
fn version(target: Target) -> String {
    match target {
        Target::Latest | Target::Upstream => "4.19.0".to_owned(),
        _ => format!("{}.0", target.to_string().trim_start_matches("ocp-")),
    }
}

/// The version of Kubernetes that a platform has.
fn kubernetes(target: Target) -> KubernetesVersion {
    let name = target.to_string();
    let minor =
        name.strip_prefix("ocp-").and_then(OpenShiftRelease::parse).and_then(OpenShiftRelease::kubernetes);
    minor.map_or_else(KubernetesVersion::default, KubernetesVersion::of_minor)
}

/// How OLM v1 is set up for a scenario.
pub(crate) fn options(scenario: &Scenario) -> Options {
    let mut options = if scenario.target.is_openshift() {
        Options::of_openshift(scenario.target)
    } else {
        Options::of(scenario.target)
    };
    options.uses_service_accounts = scenario.uses_service_accounts;
    for (name, value) in &scenario.feature_gates {
        // Names were checked when the scenario was read; an unknown one changes nothing.
        let _ = options.gates.set(&format!("{name}={value}"));
    }
    options
}

/// Which definitions go with the gates: some fields exist in the experimental ones only.
fn edition(options: &Options) -> Edition {
    let gates = &options.gates;
    // Where watching one namespace is fully supported, the standard definitions have its configuration.
    let is_experimental = gates.boxcutter_runtime
        || gates.deployment_config
        || gates.single_own_namespace_install_support
        || gates.bundle_release_support;
    let edition = match (options.target, is_experimental) {
        (Target::Ocp419, _) => Edition::OCP_4_19,
        (_, true) => Edition::LATEST_EXPERIMENTAL,
        (_, false) => Edition::LATEST,
    };
    Edition { needs_account: options.uses_service_accounts, ..edition }
}

/// The namespaces that a cluster has besides those of every cluster, in the order of their names.
fn namespaces<'n>(
    scenario: &'n Scenario,
    options: &'n Options,
    v0: Option<&'n fbc_olm_v0::Options>,
) -> Vec<&'n str> {
    let mut namespaces: Vec<&str> = v0.iter().flat_map(|v0| v0.namespaces()).collect();
    if scenario.generations().have_v1() {
        namespaces.push(options.system_namespace.as_str());
    }
    namespaces.extend(scenario.openshift.namespaces());
    namespaces.extend(scenario.with.iter().filter_map(|add_on| add_on.namespace()));
    if scenario.cluster_version.is_some() {
        namespaces.extend(NAMESPACES);
    }
    if scenario.target.is_openshift() {
        namespaces.extend(platform::NAMESPACES);
    }
    namespaces.sort_unstable();
    namespaces.dedup();
    namespaces
}

impl Scenario {
    /// Whether the cluster has a namespace without being given it.
    pub fn has_namespace(&self, name: &str) -> bool {
        let (options, v0) = (options(self), olm_v0::options(self));
        control_plane::NAMESPACES.contains(&name) || namespaces(self, &options, v0.as_ref()).contains(&name)
    }
}

/// The API server of a scenario, with OLM's definitions and the roles of every cluster.
pub(super) fn api_server(scenario: &Scenario, seed: u64, specifications: &Specifications) -> ApiServer {
    let (options, v0, has_v1) =
        (options(scenario), olm_v0::options(scenario), scenario.generations().have_v1());
    let namespaces = namespaces(scenario, &options, v0.as_ref());
    let addresses = if scenario.target.is_openshift() {
        platform::service_addresses()
    } else {
        ServiceAddresses::default()
    };
    // The time of an installation goes by before the scenario starts.
    let before =
        scenario.cluster_version.as_ref().filter(|setup| setup.is_installed).map_or(0, |_| INSTALLATION);
    let start = Moment(scenario.start.0.saturating_sub(before));
    let mut api = control_plane::api_server_with(addresses, &namespaces, seed, start)
        .with_plugins(Plugins { service_accounts: true })
        .with_kubernetes(kubernetes(scenario.target))
        .with_specifications(specifications.clone());
    let of_updates = scenario.cluster_version.iter().flat_map(|_| Parts::definitions());
    for definition in scenario.openshift.definitions().into_iter().chain(of_updates) {
        // Tests hold that these are accepted.
        let _ = api.install_definition(definition);
    }
    if scenario.openshift.machine_api.is_some() {
        api.add_validator(Arc::new(HookWebhook));
    }
    for definition in definitions(edition(&options)).into_iter().filter(|_| has_v1) {
        // Tests hold that OLM's definitions are accepted.
        let _ = api.install_definition(definition);
    }
    if let Some(v0) = &v0 {
        olm_v0::install(&mut api, v0);
    }
    for policy in policies(&options).into_iter().filter(|_| has_v1) {
        // A new server refuses none of these; a test holds that.
        let _ = api.create(&Caller::administrator("kube-apiserver"), policy, WriteOptions::default());
    }
    if scenario.target.is_openshift() {
        for definition in cluster_operator::definitions().into_iter().chain(mirrors::definitions()) {
            let _ = api.install_definition(definition);
        }
        platform::serve(&mut api);
        if scenario.cluster_version.is_none() {
            add_cluster_version(&mut api, &version(scenario.target));
        }
    }
    for kind in scenario.with.iter().flat_map(|add_on| add_on.kinds()) {
        if api.kind_id(&kind.group, &kind.kind).is_none() {
            let _ = api.install_definition(open_definition(&kind));
        }
    }
    api
}

/// The version of a cluster of OpenShift.
fn add_cluster_version(api: &mut ApiServer, version: &str) {
    let caller = Caller::administrator("cluster-version-operator");
    let object = json!({
        "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion",
        "metadata": {"name": "version"}, "spec": {},
    });
    // A new cluster refuses neither.
    let Ok(created) = api.create(&caller, object, WriteOptions::default()) else { return };
    let mut object = Object::clone(&created);
    let now = api.now().to_string();
    let condition = |kind: &str, status: &str, message: String| json!({"type": kind, "status": status, "lastTransitionTime": now, "message": message});
    object.set(
        &["status"],
        json!({
            "desired": {"version": version},
            "history": [{
                "state": "Completed", "version": version, "startedTime": now, "completionTime": now, "verified": false,
            }],
            "conditions": [
                condition("Available", "True", format!("Done applying {version}")),
                condition("Failing", "False", String::new()),
                condition("Progressing", "False", format!("Cluster version is {version}")),
            ],
        }),
    );
    let _ = api.update(&caller, object, Subresource::Status, WriteOptions::default());
}

/// The cluster of a scenario, without its objects, and how its release was installed if that comes before the start.
pub(super) fn cluster(
    prepared: &Prepared,
    images: &SharedImages,
    outside: Option<&SharedOutside>,
    seed: u64,
) -> (Cluster, Option<OlmV0>, Option<Result<(), StepError>>) {
    let scenario = &prepared.scenario;
    let (options, has_v1) = (options(scenario), scenario.generations().have_v1());
    let mut api = prepared.servers.server(scenario, seed);
    if has_v1 {
        api.add_mutator(Arc::new(NameLabel));
    }
    api.set_webhook_caller(Box::new(StandIn::new(scenario.webhooks.clone())));
    let workloads = Workloads::Pods {
        virtual_node: Some(NODE.to_owned()),
        behaviours: scenario.behaviours.clone(),
        older_texts: scenario.target == Target::Ocp419,
    };
    let mut all = controllers(workloads, seed);
    if has_v1 {
        all.push(Box::new(Catalogd::new(options.clone(), images.clone(), seed)));
    }
    if scenario.target.is_openshift() {
        all.extend(platform::controllers());
        all.push(Box::new(Mirrors::new(images.clone())));
    }
    if scenario.target.is_openshift() && has_v1 {
        // What a payload brings is played with the other operators.
        let is_played = prepared
            .updates
            .as_ref()
            .is_some_and(|updates| updates.parts.has_operator(cluster_operator::OPERATOR));
        all.push(Box::new(ClusterOperator::new(&options).reporting(!is_played)));
        all.push(Box::new(DefaultCatalogs::default()));
    }
    let shows_failed_drains = scenario.target == Target::Ocp419;
    all.extend(scenario.openshift.controllers(shows_failed_drains, &version(scenario.target), seed));
    let updates = prepared.updates.as_ref().zip(outside);
    if let Some((updates, outside)) = updates {
        all.extend(updates.parts.controllers(outside));
        updates.parts.set_up(&mut api, false);
    }
    all.extend(scenario.with.iter().flat_map(|add_on| add_on.controllers()));
    let mut cluster = Cluster::new(api);
    for controller in all {
        cluster.add_controller(controller);
    }
    if has_v1 {
        fbc_olm::setting::add_operator_controller(&mut cluster, &options, images);
    }
    let v0 = olm_v0::options(scenario).map(|options| OlmV0::start(options, images, &mut cluster));
    let is_installed = scenario.cluster_version.as_ref().is_some_and(|setup| setup.is_installed);
    let installed = updates.filter(|_| is_installed).map(|(updates, _)| {
        let parts = &updates.parts;
        let outcome = match parts.install(&mut cluster) {
            Ok(true) => Ok(()),
            Ok(false) => Err(StepError::NotInstalled(parts.present.version().to_string())),
            Err(error) => Err(error.into()),
        };
        let rest = cluster.run_until(scenario.start);
        outcome.and(rest.map_err(StepError::Run))
    });
    (cluster, v0, installed)
}

/// Starts a controller anew, as it starts with the cluster.
pub(super) fn restart(
    cluster: &mut Cluster,
    component: Component,
    scenario: &Scenario,
    v0: Option<&OlmV0>,
    images: &SharedImages,
    seed: u64,
) -> Result<(), StepError> {
    let (options, generations) = (options(scenario), scenario.generations());
    let missing = || StepError::OtherGeneration(component.name(), generations.name());
    match component {
        Component::Catalogd | Component::OperatorController if !generations.have_v1() => {
            return Err(missing());
        }
        Component::CatalogOperator => v0.ok_or_else(missing)?.restart_catalog_operator(cluster),
        Component::OlmOperator => v0.ok_or_else(missing)?.restart_olm_operator(cluster),
        Component::Catalogd => {
            cluster.remove_controller("catalogd");
            cluster.add_controller(Box::new(Catalogd::new(options, images.clone(), seed)));
        }
        Component::OperatorController => {
            cluster.remove_controller(OPERATOR_CONTROLLER);
            cluster.remove_controller(REVISION_CONTROLLER);
            fbc_olm::setting::add_operator_controller(cluster, &options, images);
        }
        Component::ClusterVersionOperator => {
            let operator = cluster.controller::<ClusterVersionOperator>();
            operator.ok_or(StepError::NoOperator)?.crash();
            cluster.poke("cluster-version-operator", ObjectName::cluster("version"));
        }
    }
    Ok(())
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
        images.borrow_mut().set_shared(Arc::clone(&content.repositories));
        faults.extend(content.unreadable.iter().cloned());
    }
    faults.iter().map(ToString::to_string).collect()
}

/// The objects of the catalogs of the start.
pub(super) fn catalog_objects(scenario: &Scenario) -> Vec<Object> {
    let catalogs = || scenario.catalogs.iter().filter(|catalog| catalog.has_object);
    let v0 = olm_v0::options(scenario);
    let sources =
        catalogs().flat_map(|catalog| v0.as_ref().map(|options| olm_v0::catalog_source(catalog, options)));
    catalogs()
        .filter(|_| scenario.generations().have_v1())
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
        .chain(sources)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_report_the_kubernetes_that_they_have() {
        for (target, expected) in [
            (Target::Latest, "v1.36.2"),
            (Target::Ocp419, "v1.32.0"),
            (Target::Ocp420, "v1.33.0"),
            (Target::Ocp421, "v1.34.0"),
            (Target::Ocp50, "v1.36.2"),
        ] {
            let mut scenario = Scenario::new("test", "test");
            scenario.target = target;
            let api = api_server(&scenario, 1, &Specifications::default());
            assert_eq!(api.kubernetes().to_string(), expected, "{target}");
        }
    }
}
