//! A whole update of a cluster: from the wish to the last node that reboots, with the Cluster Version Operator, cluster
//! operators and the Machine Config Operator on one API server.

mod observer;
pub mod sample;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::control_plane::api_server;
use fbc_cluster::controllers::definitions::Definitions;
use fbc_cluster::engine::{Cluster, RunError};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{HOUR, MINUTE, Milliseconds, Moment, SECOND};
use fbc_model::tree::Tree;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub use observer::{Bar, BarKind};

use crate::cluster_operators::{self, ClusterOperators};
use crate::cluster_version::{ClusterVersionOperator, GROUP, Options, Outside};
use crate::definitions;
use crate::machine_config::control_plane_nodes::ControlPlaneNodes;
use crate::machine_config::node_controller::NodeController;
use crate::machine_config::rendered_name::rendered_name;
use crate::machine_config::{self, REQUIRED_FOR_UPGRADE, daemon, drain_controller};
use crate::release::file_name::runlevel_and_component;
use crate::release::{Inclusion, Payload};
use observer::{Observer, Seen};

/// The start of an update that is still refused so long after it was asked for counts as blocked.
const ACCEPTANCE: Milliseconds = 5 * MINUTE;
/// A new cluster is there after so long at the latest.
const INSTALLATION: Milliseconds = 2 * HOUR;

/// A pool of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// Its name, which is the role of its nodes.
    pub name: String,
    /// How many nodes it has.
    pub nodes: usize,
    /// How many may be unavailable: a number or a percentage.
    pub max_unavailable: Value,
    /// Whether its updates wait.
    pub is_paused: bool,
}

/// A cluster, and the update that it is to make.
#[derive(Clone)]
pub struct Plan {
    /// The payload of the present release.
    pub from: Arc<dyn Tree>,
    /// The payload of the wanted release.
    pub to: Arc<dyn Tree>,
    /// How operators behave.
    pub operators: Vec<cluster_operators::Behaviour>,
    /// How updates of nodes go on.
    pub nodes: Vec<daemon::Behaviour>,
    /// The pools.
    pub pools: Vec<Pool>,
    /// Whether the update is forced.
    pub is_forced: bool,
    /// The update is given up after so long.
    pub limit: Milliseconds,
    /// The seed of everything that looks random.
    pub seed: u64,
    /// When the Cluster Version Operator ends and is started anew, from the begin of the update.
    pub restarts: Vec<Milliseconds>,
}

/// How an update went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The present and the wanted version.
    pub versions: (String, String),
    /// When the update was asked for.
    pub start: Moment,
    /// What it took until the cluster said that it has the version; nothing if it never did.
    pub control_plane: Option<Milliseconds>,
    /// What it took until all nodes had it.
    pub nodes: Option<Milliseconds>,
    /// What stands against the end: texts of ClusterVersion and pools.
    pub obstacles: Vec<String>,
    /// Operators, pools and nodes as bars.
    pub bars: Vec<Bar>,
    /// What ClusterVersion said, and when.
    pub told: Vec<(Moment, String)>,
    /// The largest number of unavailable nodes of each pool.
    pub most_unavailable: BTreeMap<String, usize>,
    /// ClusterVersion at the end.
    pub version: Value,
    /// Every object of the cluster at the end: name, and a digest of what it asks for.
    pub objects: BTreeMap<String, String>,
}

/// Why an update cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateFault {
    /// A payload cannot be loaded.
    #[error("the payload {0} cannot be loaded: {1}")]
    Payload(&'static str, String),
    /// The cluster never came to have the present release.
    #[error("the present release {0} cannot be installed: {1}")]
    Installation(String, String),
    /// Controllers undo each other's work.
    #[error("{0}")]
    Restless(String),
}

impl From<RunError> for UpdateFault {
    fn from(error: RunError) -> Self {
        Self::Restless(error.to_string())
    }
}

/// A pull spec for the payload of a folder: by digest, as updates need it.
fn image_of(what: &str, tree: &dyn Tree) -> String {
    let metadata = tree.read(std::path::Path::new("release-manifests/release-metadata")).unwrap_or_default();
    let digest = Sha256::new().chain_update(what).chain_update(metadata).finalize();
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("release.example/ocp/release@sha256:{hex}")
}

/// Plays an update.
///
/// # Errors
/// If a payload cannot be loaded, or the present release never comes to be there.
pub fn simulate(plan: &Plan) -> Result<Report, UpdateFault> {
    let (from_image, to_image) = (image_of("from", plan.from.as_ref()), image_of("to", plan.to.as_ref()));
    let inclusion = Inclusion::default();
    let load = |what, tree: &dyn Tree, image: &str| {
        Payload::load(tree, image, &inclusion).map_err(|error| UpdateFault::Payload(what, error.text("")))
    };
    let from = load("of the present release", plan.from.as_ref(), &from_image)?;
    let to = load("of the wanted release", plan.to.as_ref(), &to_image)?;
    let mut outside = Outside::default();
    outside.payloads.insert(from_image.clone(), Arc::clone(&plan.from));
    outside.payloads.insert(to_image.clone(), Arc::clone(&plan.to));
    // Whoever simulates an update vouches for its payload.
    outside.vouched.extend(
        [&from_image, &to_image].map(|image| image.rsplit('@').next().unwrap_or_default().to_owned()),
    );
    let mut api = set_up(plan, &from);
    let user = Caller::administrator("administrator");
    // A new server refuses no cluster version.
    let _ = api.create(&user, cluster_version(), WriteOptions::default());
    let mut cluster = Cluster::new(api);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let runlevels =
        to.manifests.iter().filter(|manifest| manifest.is_cluster_operator()).filter_map(|manifest| {
            let (runlevel, _) = runlevel_and_component(&manifest.file)?;
            Some((manifest.object.name().to_owned(), runlevel.to_owned()))
        });
    cluster.add_controller(Box::new(Definitions::default()));
    let options =
        Options { task_duration: 20, handover_duration: 10 * SECOND, ..Options::of_image(&from_image) };
    cluster.add_controller(Box::new(ClusterVersionOperator::new(options, Rc::new(RefCell::new(outside)))));
    cluster.add_controller(Box::new(ClusterOperators::new(plan.operators.clone(), &[&from, &to])));
    cluster.add_controller(Box::new(ControlPlaneNodes::new()));
    cluster.add_controller(Box::new(NodeController::new()));
    cluster.add_controller(Box::new(drain_controller::DrainController::new()));
    cluster.add_controller(Box::new(daemon::Daemons::new(plan.nodes.clone())));
    cluster.add_controller(Box::new(Observer { seen: Rc::clone(&seen), runlevels: runlevels.collect() }));
    cluster.poke("cluster-version-operator", ObjectName::cluster("version"));
    let end = cluster.now() + INSTALLATION;
    if !run_while(&mut cluster, end, |api| !(is_at(api, &from.release.version) && pools_are_updated(api)))? {
        let why = obstacles(&cluster.api).join("; ");
        return Err(UpdateFault::Installation(from.release.version, why));
    }
    *seen.borrow_mut() = Seen::default();
    let start = cluster.now();
    let wish = json!({"spec": {"desiredUpdate": {
        "version": to.release.version, "image": to_image, "force": plan.is_forced,
    }}});
    let name = ObjectName::cluster("version");
    if let Some(id) = cluster.api.kind_id(GROUP, "ClusterVersion") {
        let patch = Patch::Merge(wish);
        // Its only rule is on the architecture.
        let _ = cluster.api.patch(&user, id, &name, &patch, Subresource::None, WriteOptions::default());
    }
    let wanted = to.release.version.clone();
    let is_accepted = |api: &ApiServer| {
        version(api).is_some_and(|one| one.text(&["status", "desired", "version"]) == wanted)
    };
    let mut control_plane = None;
    let mut nodes = None;
    let mut restarts = plan.restarts.clone();
    restarts.sort_unstable();
    for restart in restarts {
        cluster.run_until(start + restart)?;
        if let Some(operator) = cluster.controller::<ClusterVersionOperator>() {
            operator.crash();
        }
        cluster.poke("cluster-version-operator", name.clone());
    }
    let acceptance = (start + ACCEPTANCE).max(cluster.now());
    if run_while(&mut cluster, acceptance, |api| !is_accepted(api))? {
        let end = start + plan.limit;
        if run_while(&mut cluster, end, |api| !is_at(api, &wanted))? {
            control_plane = Some(completion(&cluster.api).unwrap_or(cluster.now()).since(start));
            if run_while(&mut cluster, end, |api| !pools_are_updated(api))? {
                nodes = Some(cluster.now().since(start));
            }
        }
    }
    let seen = seen.take();
    let is_done = control_plane.is_some() && nodes.is_some();
    Ok(Report {
        objects: objects(&cluster.api),
        versions: (from.release.version, wanted),
        start,
        control_plane,
        nodes,
        obstacles: if is_done { Vec::new() } else { obstacles(&cluster.api) },
        bars: seen.bars,
        told: seen.told,
        most_unavailable: seen.most_unavailable,
        version: version(&cluster.api).map(|version| Object::clone(version)).unwrap_or_default(),
    })
}

/// Runs as long as something holds. False if it still does at the end.
fn run_while(
    cluster: &mut Cluster,
    end: Moment,
    holds: impl Fn(&ApiServer) -> bool,
) -> Result<bool, RunError> {
    while holds(&cluster.api) {
        if cluster.now() >= end {
            return Ok(false);
        }
        let next = (cluster.now() + 5 * SECOND).min(end);
        cluster.run_until(next)?;
    }
    Ok(true)
}

fn cluster_version() -> Value {
    json!({
        "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
        "spec": {"clusterID": "b1f6cb4c-9c44-4d49-8e3d-0e4f5d9e1b11"},
    })
}

/// A server with namespaces, pools and nodes.
fn set_up(plan: &Plan, from: &Payload) -> ApiServer {
    const NAMESPACES: [&str; 3] =
        ["openshift-cluster-version", "openshift-config", "openshift-config-managed"];
    let mut api = api_server(&NAMESPACES, plan.seed, Moment::START);
    for definition in definitions::of_updates().into_iter().chain(definitions::machine_config()) {
        // Tests hold that these are taken.
        let _ = api.install_definition(definition);
    }
    let installer = Caller::administrator("installer");
    // Every cluster of OpenShift has it, and the pods that fetch payloads name it.
    let priority = json!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1_000_000_000,
        "metadata": {"name": "openshift-user-critical"},
    });
    let _ = api.create(&installer, priority, WriteOptions::default());
    // No gate is closed: what administrators must acknowledge comes with payloads.
    for (namespace, name) in [("openshift-config-managed", "admin-gates"), ("openshift-config", "admin-acks")]
    {
        let metadata = json!({"name": name, "namespace": namespace});
        let gates = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        let _ = api.create(&installer, gates, WriteOptions::default());
    }
    // Operators that no payload brings, such as that of OLM on a cluster that has it otherwise.
    for behaviour in &plan.operators {
        let name = behaviour.operator.as_str();
        let is_known =
            from.manifests.iter().any(|one| one.is_cluster_operator() && one.object.name() == name);
        let Some((reason, message)) = behaviour.not_upgradeable.as_ref().filter(|_| !is_known) else {
            continue;
        };
        let object = json!({
            "apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": {"name": name}, "spec": {},
        });
        let Ok(created) = api.create(&installer, object, WriteOptions::default()) else { continue };
        let mut operator = Object::clone(&created);
        operator.set(
            &["status", "conditions"],
            json!([{
                "type": "Upgradeable", "status": "False", "reason": reason, "message": message,
                "lastTransitionTime": Moment::START.to_string(),
            }]),
        );
        let _ = api.update(&installer, operator, Subresource::Status, WriteOptions::default());
    }
    for pool in &plan.pools {
        let config = rendered_name(&pool.name, &from.release.version);
        let mut labels = json!({});
        if pool.name == "master" {
            labels = json!({(REQUIRED_FOR_UPGRADE): ""});
        }
        let role = format!("node-role.kubernetes.io/{}", pool.name);
        let object = json!({
            "apiVersion": format!("{}/v1", machine_config::GROUP), "kind": "MachineConfigPool",
            "metadata": {"name": pool.name, "labels": labels},
            "spec": {
                "configuration": {"name": config}, "paused": pool.is_paused, "maxUnavailable": pool.max_unavailable,
                "nodeSelector": {"matchLabels": {&role: ""}},
            },
        });
        let _ = api.create(&installer, object, WriteOptions::default());
        for number in 0..pool.nodes {
            let mut labels = json!({&role: "", "kubernetes.io/os": "linux"});
            if pool.name != "master" && pool.name != "worker" {
                // Nodes of a pool of one's own are workers too.
                labels.set(&["node-role.kubernetes.io/worker"], "");
            }
            let node = json!({
                "apiVersion": "v1", "kind": "Node",
                "metadata": {"name": format!("{}-{number}", pool.name), "labels": labels},
            });
            let Ok(created) = api.create(&installer, node, WriteOptions::default()) else { continue };
            let mut node = Object::clone(&created);
            node.set(
                &["status", "conditions"],
                json!([{"type": "Ready", "status": "True", "reason": "KubeletReady"}]),
            );
            let _ = api.update(&installer, node, Subresource::Status, WriteOptions::default());
        }
    }
    api
}

/// All objects but events and payload pods, each with a digest of what it asks for.
fn objects(api: &ApiServer) -> BTreeMap<String, String> {
    let kinds: BTreeMap<_, _> = api.registry().iter().map(|(id, kind)| (id, kind.kind.clone())).collect();
    let all = api.store().iter().filter_map(|(id, name, object)| {
        let kind = kinds
            .get(&id)
            .filter(|kind| !["Event", "Pod", "Node", "ClusterVersion"].contains(&kind.as_str()))?;
        let mut object = Object::clone(object);
        for field in ["status", "metadata"] {
            object.remove(&[field]);
        }
        let digest = Sha256::digest(object.to_string());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Some((format!("{kind}/{name}"), hex))
    });
    all.collect()
}

fn version(api: &ApiServer) -> Option<&Arc<Object>> {
    api.find(GROUP, "ClusterVersion", &ObjectName::cluster("version"))
}

/// Whether the cluster says that it has a version.
fn is_at(api: &ApiServer, wanted: &str) -> bool {
    version(api).is_some_and(|version| {
        let first = version.list(&["status", "history"]).first();
        first.is_some_and(|entry| entry["state"] == "Completed" && entry["version"] == wanted)
    })
}

fn completion(api: &ApiServer) -> Option<Moment> {
    let first = version(api)?.list(&["status", "history"]).first()?;
    Moment::parse(first.text(&["completionTime"]))
}

fn pools_are_updated(api: &ApiServer) -> bool {
    api.all(machine_config::GROUP, "MachineConfigPool").all(|pool| {
        pool.text(&["spec", "configuration", "name"]) == pool.text(&["status", "configuration", "name"])
            && pool.condition_status("Updated") == "True"
    })
}

/// What the cluster says that keeps it from the end.
fn obstacles(api: &ApiServer) -> Vec<String> {
    let mut texts = Vec::new();
    let Some(version) = version(api) else { return vec!["there is no ClusterVersion".to_owned()] };
    let told = |kind: &str, status: &str| {
        version
            .condition(kind)
            .filter(|one| one["status"] == status)
            .map(|one| one.text(&["message"]).to_owned())
    };
    texts.extend(told("ReleaseAccepted", "False"));
    texts.extend(told("Failing", "True").or_else(|| told("Failing", "Unknown")));
    texts.extend(told("Progressing", "True").filter(|text| !texts.contains(text)));
    for pool in api.all(machine_config::GROUP, "MachineConfigPool") {
        let name = pool.name();
        if pool.condition_status("Degraded") == "True" {
            let message = pool.condition("Degraded").map(|one| one.text(&["message"])).unwrap_or_default();
            texts.push(format!("pool {name} is degraded: {message}"));
        } else if pool.condition_status("Updated") != "True" {
            let (updated, all) =
                (pool.number(&["status", "updatedMachineCount"]), pool.number(&["status", "machineCount"]));
            let paused =
                if pool.at(&["spec", "paused"]) == Some(&json!(true)) { ", and it is paused" } else { "" };
            texts.push(format!(
                "pool {name} has {} of {} nodes updated{paused}",
                updated.unwrap_or_default(),
                all.unwrap_or_default()
            ));
        }
    }
    texts
}
