//! A whole update of a cluster: from the wish to the last node that reboots, with the Cluster Version Operator, cluster
//! operators and the Machine Config Operator on one API server.

pub mod cluster;
mod observer;
mod obstacles;
mod pool;
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
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};
use fbc_model::tree::Tree;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub use observer::{Bar, BarKind};
pub use obstacles::QuorumLoss;

pub use pool::{MOST_NODES, Pool, PoolFault, PoolsFault};

use crate::cluster_operators;
use crate::cluster_version::{ClusterVersionOperator, GROUP};
use crate::machine_config::{self, daemon};
use crate::release::file_name::runlevel_and_component;
use cluster::{NAMESPACES, Parts, Release, is_at, pools_are_updated, run_while, version};
use observer::{Observer, Seen};
use obstacles::obstacles;

/// The start of an update that is still refused so long after it was asked for counts as blocked.
const ACCEPTANCE: Milliseconds = 5 * MINUTE;
/// What OLM gets after an update to look at what changed.
const SETTLING: Milliseconds = 2 * MINUTE;

/// What became of an operator from a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fate {
    /// The package.
    pub name: String,
    /// The version before the update.
    pub before: String,
    /// The version after it; empty if nothing is installed.
    pub after: String,
    /// What it says that is not well.
    pub trouble: Option<String>,
}

/// What else lives on a cluster that updates: OLM, with operators from catalogs.
pub trait Companions: Send + Sync {
    /// Adds definitions, objects and controllers to a new cluster.
    fn join(&self, cluster: &mut Cluster, parts: &Parts);
    /// What became of the operators.
    fn fates(&self, api: &ApiServer) -> Vec<Fate>;
    /// Catalogs with their images.
    fn catalogs(&self, api: &ApiServer) -> Vec<(String, String)>;
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
    /// What else lives on the cluster.
    pub companions: Option<Arc<dyn Companions>>,
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
    /// The limit of the plan, if it ended an update that was still under way.
    pub given_up: Option<Milliseconds>,
    /// What stands against the end: texts of ClusterVersion and pools.
    pub obstacles: Vec<String>,
    /// That etcd had no quorum, if it did not.
    pub quorum_loss: Option<QuorumLoss>,
    /// Operators, pools and nodes as bars.
    pub bars: Vec<Bar>,
    /// What ClusterVersion said, and when.
    pub told: Vec<(Moment, String)>,
    /// The largest number of unavailable nodes of each pool.
    pub most_unavailable: BTreeMap<String, usize>,
    /// ClusterVersion at the end.
    pub version: Value,
    /// Operators from catalogs.
    pub operators: Vec<Fate>,
    /// Catalogs whose image changed: name, image before and after.
    pub catalogs: Vec<(String, String, String)>,
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

/// Plays an update.
///
/// # Errors
/// If a payload cannot be loaded, or the present release never comes to be there.
pub fn simulate(plan: &Plan) -> Result<Report, UpdateFault> {
    let load = |what, tree: &Arc<dyn Tree>, salt| {
        Release::load(Arc::clone(tree), Release::image_of(tree.as_ref(), salt))
            .map_err(|error| UpdateFault::Payload(what, error.text("")))
    };
    let from = load("of the present release", &plan.from, "from")?;
    let to = load("of the wanted release", &plan.to, "to")?;
    let parts = Parts {
        present: from.clone(),
        releases: vec![from.clone(), to.clone()],
        operators: plan.operators.clone(),
        nodes: plan.nodes.clone(),
        pools: plan.pools.clone(),
    };
    let mut api = api_server(&NAMESPACES, plan.seed, Moment::START);
    for definition in Parts::definitions() {
        // Tests hold that these are taken.
        let _ = api.install_definition(definition);
    }
    parts.set_up(&mut api, true);
    let user = Caller::administrator("administrator");
    let mut cluster = Cluster::new(api);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let runlevels = to.payload.manifests.iter().filter(|manifest| manifest.is_cluster_operator()).filter_map(
        |manifest| {
            let (runlevel, _) = runlevel_and_component(&manifest.file)?;
            Some((manifest.object.name().to_owned(), runlevel.to_owned()))
        },
    );
    cluster.add_controller(Box::new(Definitions::default()));
    for controller in parts.controllers(&Rc::new(RefCell::new(parts.outside()))) {
        cluster.add_controller(controller);
    }
    cluster.add_controller(Box::new(Observer { seen: Rc::clone(&seen), runlevels: runlevels.collect() }));
    if let Some(companions) = &plan.companions {
        companions.join(&mut cluster, &parts);
    }
    if !parts.install(&mut cluster)? {
        let why = obstacles(&cluster.api, "").join("; ");
        return Err(UpdateFault::Installation(from.version().to_owned(), why));
    }
    let catalogs = plan.companions.as_ref().map(|one| one.catalogs(&cluster.api)).unwrap_or_default();
    *seen.borrow_mut() = Seen::default();
    let start = cluster.now();
    let wish = json!({"spec": {"desiredUpdate": {
        "version": to.version(), "image": to.image, "force": plan.is_forced,
    }}});
    let name = ObjectName::cluster("version");
    if let Some(id) = cluster.api.kind_id(GROUP, "ClusterVersion") {
        let patch = Patch::Merge(wish);
        // Its only rule is on the architecture.
        let _ = cluster.api.patch(&user, id, &name, &patch, Subresource::None, WriteOptions::default());
    }
    let wanted = to.version().to_owned();
    let is_accepted = |api: &ApiServer| {
        version(api).is_some_and(|one| one.text(&["status", "desired", "version"]) == wanted)
    };
    let mut control_plane = None;
    let mut nodes = None;
    let mut given_up = None;
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
                // Pools that the update does not change were done before it began.
                let last = last_pool(&cluster.api).filter(|last| *last > start);
                nodes = last.map(|last| last.since(start)).or(control_plane);
            }
        }
        given_up = nodes.is_none().then_some(plan.limit);
    }
    let is_done = control_plane.is_some() && nodes.is_some();
    // What is still open when time is up, before anything else goes on.
    let obstacles = if is_done { Vec::new() } else { obstacles(&cluster.api, &wanted) };
    if plan.companions.is_some() && control_plane.is_some() {
        // Catalogs of the new version are pulled and looked at.
        cluster.run_until(cluster.now() + SETTLING)?;
    }
    let seen = seen.take();
    Ok(Report {
        operators: plan.companions.as_ref().map(|one| one.fates(&cluster.api)).unwrap_or_default(),
        catalogs: moved(&catalogs, plan, &cluster.api),
        objects: objects(&cluster.api),
        versions: (from.version().to_owned(), wanted),
        start,
        control_plane,
        nodes,
        given_up,
        obstacles,
        quorum_loss: QuorumLoss::of(&plan.pools, &seen.most_unavailable),
        bars: seen.bars,
        told: seen.told,
        most_unavailable: seen.most_unavailable,
        version: version(&cluster.api).map(|version| Object::clone(version)).unwrap_or_default(),
    })
}

/// Catalogs whose image is another one than before.
fn moved(before: &[(String, String)], plan: &Plan, api: &ApiServer) -> Vec<(String, String, String)> {
    let after = plan.companions.as_ref().map(|one| one.catalogs(api)).unwrap_or_default();
    let moved = after.into_iter().filter_map(|(name, image)| {
        let (_, old) = before.iter().find(|(known, old)| *known == name && *old != image)?;
        Some((name, old.clone(), image))
    });
    moved.collect()
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

fn completion(api: &ApiServer) -> Option<Moment> {
    let first = version(api)?.list(&["status", "history"]).first()?;
    Moment::parse(first.text(&["completionTime"]))
}

/// When the last pool was updated.
fn last_pool(api: &ApiServer) -> Option<Moment> {
    let pools = api.all(machine_config::GROUP, "MachineConfigPool");
    let moments = pools.filter_map(|pool| {
        let updated = pool.condition("Updated").filter(|one| one["status"] == "True")?;
        Moment::parse(updated.text(&["lastTransitionTime"]))
    });
    moments.max()
}
