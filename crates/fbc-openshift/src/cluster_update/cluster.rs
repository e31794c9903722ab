//! A cluster whose releases the Cluster Version Operator applies: its payloads, what it starts with, its controllers.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, Subresource, WriteOptions};
use fbc_cluster::engine::{Cluster, Controller, RunError};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{HOUR, MINUTE, Milliseconds, Moment, SECOND};
use fbc_model::tree::Tree;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::pool::Pool;
use crate::cluster_operators::{self, ClusterOperators};
use crate::cluster_version::{ClusterVersionOperator, GROUP, Options, Outside};
use crate::definitions;
use crate::machine_config::control_plane_nodes::ControlPlaneNodes;
use crate::machine_config::node_controller::NodeController;
use crate::machine_config::rendered_name::rendered_name;
use crate::machine_config::{self, REQUIRED_FOR_UPGRADE, daemon, drain_controller};
use crate::release::{Inclusion, LoadError, Payload};

/// A new cluster is there after so long at the latest.
pub const INSTALLATION: Milliseconds = 2 * HOUR;
/// After so long at the latest a new cluster takes updates.
const SETTLING: Milliseconds = 10 * MINUTE;
/// Namespaces that are there before any payload.
pub const NAMESPACES: [&str; 3] =
    ["openshift-cluster-version", "openshift-config", "openshift-config-managed"];

/// A release with its payload.
#[derive(Clone)]
pub struct Release {
    /// The pull spec of its image.
    pub image: String,
    /// The files of its payload.
    pub tree: Arc<dyn Tree>,
    /// What they say.
    pub payload: Arc<Payload>,
}

impl std::fmt::Debug for Release {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.payload.release.version, self.image)
    }
}

impl Release {
    /// Loads a payload under the pull spec of its image.
    ///
    /// # Errors
    /// What the operator says about a payload that cannot be loaded.
    pub fn load(tree: Arc<dyn Tree>, image: String) -> Result<Self, LoadError> {
        let payload = Payload::load(tree.as_ref(), &image, &Inclusion::default())?;
        Ok(Self { image, tree, payload: Arc::new(payload) })
    }

    /// Its version.
    pub fn version(&self) -> &str {
        &self.payload.release.version
    }

    /// A pull spec for a payload that is in no registry: by digest, as updates need it.
    pub fn image_of(tree: &dyn Tree, salt: &str) -> String {
        let metadata = tree.read(Path::new("release-manifests/release-metadata")).unwrap_or_default();
        let digest = Sha256::new().chain_update(salt).chain_update(metadata).finalize();
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("release.example/ocp/release@sha256:{hex}")
    }

    /// The digest in its pull spec.
    pub fn digest(&self) -> &str {
        self.image.rsplit('@').next().unwrap_or_default()
    }
}

/// What a cluster is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The release that it has at first.
    pub present: Release,
    /// All releases, oldest first, with the present one.
    pub releases: Vec<Release>,
    /// How operators behave.
    pub operators: Vec<cluster_operators::Behaviour>,
    /// How updates of nodes go on.
    pub nodes: Vec<daemon::Behaviour>,
    /// The pools.
    pub pools: Vec<Pool>,
}

impl Parts {
    /// The definitions of the kinds that must be there before any payload.
    pub fn definitions() -> Vec<Object> {
        definitions::of_updates().into_iter().chain(definitions::machine_config()).collect()
    }

    /// What the operator reaches: all payloads. Nobody has to sign them.
    pub fn outside(&self) -> Outside {
        let mut outside = Outside::default();
        for release in &self.releases {
            outside.payloads.insert(release.image.clone(), Arc::clone(&release.tree));
            // Whoever simulates a release vouches for it.
            outside.vouched.insert(release.digest().to_owned());
        }
        outside
    }

    /// The controllers, in the order in which they are added. Daemons and the operators themselves are played.
    pub fn controllers(&self, outside: &Rc<RefCell<Outside>>) -> Vec<Box<dyn Controller>> {
        let options = Options {
            task_duration: 20,
            handover_duration: 10 * SECOND,
            ..Options::of_image(&self.present.image)
        };
        let payloads: Vec<&Payload> = self.releases.iter().map(|release| release.payload.as_ref()).collect();
        vec![
            Box::new(ClusterVersionOperator::new(options, Rc::clone(outside))),
            Box::new(ClusterOperators::new(self.operators.clone(), &payloads)),
            Box::new(ControlPlaneNodes::new()),
            Box::new(NodeController::new()),
            Box::new(drain_controller::DrainController::new()),
            Box::new(daemon::Daemons::new(self.nodes.clone())),
        ]
    }

    /// Whether payloads bring a ClusterOperator.
    pub fn has_operator(&self, name: &str) -> bool {
        let manifests = self.releases.iter().flat_map(|release| &release.payload.manifests);
        manifests.into_iter().any(|one| one.is_cluster_operator() && one.object.name() == name)
    }

    /// Puts what an installer brings into a new cluster: ClusterVersion, configuration, pools and their nodes. With
    /// `are_nodes_ready` they say so themselves; otherwise their kubelets must.
    pub fn set_up(&self, api: &mut ApiServer, are_nodes_ready: bool) {
        let installer = Caller::administrator("installer");
        // A new server refuses nothing of what follows.
        let _ = api.create(&installer, cluster_version(), WriteOptions::default());
        // Every cluster of OpenShift has it, and the pods that fetch payloads name it.
        let priority = json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1_000_000_000,
            "metadata": {"name": "openshift-user-critical"},
        });
        let _ = api.create(&installer, priority, WriteOptions::default());
        // The pods that fetch payloads run under it; real payloads bring it.
        let account = json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"name": "update-payload", "namespace": NAMESPACES[0]},
        });
        let _ = api.create(&installer, account, WriteOptions::default());
        // No gate is closed: what administrators must acknowledge comes with payloads.
        for (namespace, name) in
            [("openshift-config-managed", "admin-gates"), ("openshift-config", "admin-acks")]
        {
            let metadata = json!({"name": name, "namespace": namespace});
            let gates = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
            let _ = api.create(&installer, gates, WriteOptions::default());
        }
        self.add_foreign_operators(api, &installer);
        for pool in &self.pools {
            self.add_pool(api, &installer, pool, are_nodes_ready);
        }
    }

    /// Operators that no payload brings, such as that of OLM on a cluster that has it otherwise.
    fn add_foreign_operators(&self, api: &mut ApiServer, installer: &Caller) {
        for behaviour in &self.operators {
            let name = behaviour.operator.as_str();
            let Some((reason, message)) =
                behaviour.not_upgradeable.as_ref().filter(|_| !self.has_operator(name))
            else {
                continue;
            };
            let object = json!({
                "apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": {"name": name}, "spec": {},
            });
            let Ok(created) = api.create(installer, object, WriteOptions::default()) else { continue };
            let mut operator = Object::clone(&created);
            operator.set(
                &["status", "conditions"],
                json!([{
                    "type": "Upgradeable", "status": "False", "reason": reason, "message": message,
                    "lastTransitionTime": api.now().to_string(),
                }]),
            );
            let _ = api.update(installer, operator, Subresource::Status, WriteOptions::default());
        }
    }

    fn add_pool(&self, api: &mut ApiServer, installer: &Caller, pool: &Pool, are_nodes_ready: bool) {
        let config = rendered_name(&pool.name, self.present.version());
        let rendered = cluster_operators::rendered_config(&config, self.present.version());
        let _ = api.create(installer, rendered, WriteOptions::default());
        let mut labels = json!({});
        if pool.name == machine_config::MASTER {
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
        let _ = api.create(installer, object, WriteOptions::default());
        for name in pool.node_names() {
            let mut labels = json!({&role: "", "kubernetes.io/os": "linux"});
            if pool.name != machine_config::MASTER && pool.name != machine_config::WORKER {
                // Nodes of a pool of one's own are workers too.
                labels.set(&["node-role.kubernetes.io/worker"], "");
            }
            let node = json!({
                "apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name, "labels": labels},
            });
            // What refuses one node refuses the next.
            let Ok(created) = api.create(installer, node, WriteOptions::default()) else { break };
            if !are_nodes_ready {
                continue;
            }
            let mut node = Object::clone(&created);
            node.set(
                &["status", "conditions"],
                json!([{"type": "Ready", "status": "True", "reason": "KubeletReady"}]),
            );
            let _ = api.update(installer, node, Subresource::Status, WriteOptions::default());
        }
    }

    /// Runs a new cluster until it has its release. False if it does not come to that.
    ///
    /// # Errors
    /// If controllers undo each other's work.
    pub fn install(&self, cluster: &mut Cluster) -> Result<bool, RunError> {
        cluster.poke("cluster-version-operator", ObjectName::cluster("version"));
        let end = cluster.now() + INSTALLATION;
        let is_done = |api: &ApiServer| is_at(api, self.present.version()) && pools_are_updated(api);
        if !run_while(cluster, end, |api| !is_done(api))? {
            return Ok(false);
        }
        // For a while the operator still says that updates must wait for the installation.
        let rest = (cluster.now() + SETTLING).min(end);
        run_while(cluster, rest, is_busy)?;
        Ok(true)
    }
}

/// Whether the cluster says that updates must wait for the one that is under way.
fn is_busy(api: &ApiServer) -> bool {
    let told = version(api).and_then(|version| version.condition("Upgradeable"));
    told.is_some_and(|one| one.text(&["message"]).contains("already in progress"))
}

/// The ClusterVersion of a new cluster.
fn cluster_version() -> Value {
    json!({
        "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
        "spec": {"clusterID": "b1f6cb4c-9c44-4d49-8e3d-0e4f5d9e1b11"},
    })
}

/// Runs as long as something holds. False if it still does at the end.
pub(super) fn run_while(
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

/// The ClusterVersion of a cluster.
pub(super) fn version(api: &ApiServer) -> Option<&Arc<Object>> {
    api.find(GROUP, "ClusterVersion", &ObjectName::cluster("version"))
}

/// Whether the cluster says that it has a version.
pub(super) fn is_at(api: &ApiServer, wanted: &str) -> bool {
    version(api).is_some_and(|version| {
        let first = version.list(&["status", "history"]).first();
        first.is_some_and(|entry| entry["state"] == "Completed" && entry["version"] == wanted)
    })
}

pub(super) fn pools_are_updated(api: &ApiServer) -> bool {
    api.all(machine_config::GROUP, "MachineConfigPool").all(|pool| {
        pool.text(&["spec", "configuration", "name"]) == pool.text(&["status", "configuration", "name"])
            && pool.condition_status("Updated") == "True"
    })
}
