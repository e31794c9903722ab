//! The node controller: which nodes of a pool take its configuration now, and what the pool says of itself.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/node/node_controller.go` (MC-11 to MC-18).

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, SECOND};
use serde_json::{Value, json};

use super::annotation::{
    CONTROL_PLANE_TOPOLOGY, CURRENT_CONFIG, CURRENT_IMAGE, DESIRED_CONFIG, DESIRED_IMAGE, REASON, STATE,
};
use super::candidates::LimitError;
use super::node_state::{IN_PROGRESS, NodeState, is_in_progress_taint};
use super::node_states::NodeStates;
use super::{ARBITER, GROUP, MASTER, candidates, membership, node_state, pool_status};
use crate::delays::Delays;
use crate::writer::Writer;

/// How long after a change a pool is looked at.
pub(super) const DELAY: Milliseconds = 5 * SECOND;
/// The topology with two control-plane nodes and an arbiter.
const WITH_ARBITER: &str = "HighlyAvailableArbiter";

/// Tells nodes which configuration to take.
pub struct NodeController {
    writer: Writer,
    recorder: Recorder,
    delays: Delays,
    counts_machine_config_nodes: bool,
    nodes: NodeStates,
}

impl NodeController {
    /// The controller as a cluster runs it by default.
    pub fn new() -> Self {
        Self {
            writer: Writer::new("machineconfigcontroller-nodecontroller"),
            recorder: Recorder::new("machineconfigcontroller-nodecontroller"),
            delays: Delays::default(),
            counts_machine_config_nodes: false,
            nodes: NodeStates::default(),
        }
    }
}

impl Default for NodeController {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for NodeController {
    fn name(&self) -> &'static str {
        "machine-config-node-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node"), (GROUP, "MachineConfigPool"), (GROUP, "MachineConfigNode")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let names: Vec<ObjectName> = match kind.1 {
            "MachineConfigPool" => change.after.iter().map(|pool| pool.object_name()).collect(),
            "MachineConfigNode" => pool_of_report(change).into_iter().collect(),
            _ => pools_of_change(change, &pools(api)),
        };
        for name in names {
            self.delays.add(&name, api.now(), DELAY);
            requests.push(name);
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if !self.delays.take(request, api.now()) {
            return self.delays.wait(request, api.now()).map_or(Outcome::Done, Outcome::After);
        }
        let Some(pool) = api.find(GROUP, "MachineConfigPool", request).cloned() else { return Outcome::Done };
        let result = self.sync(api, &pool);
        if let Err(error) = result {
            self.delays.add(request, api.now(), 0);
            return Outcome::Failed(error.to_string());
        }
        self.delays.wait(request, api.now()).map_or(Outcome::Done, Outcome::After)
    }
}

fn pools(api: &ApiServer) -> Vec<Arc<Object>> {
    api.all(GROUP, "MachineConfigPool").cloned().collect()
}

/// The pool of a MachineConfigNode whose change matters.
fn pool_of_report(change: &Change) -> Option<ObjectName> {
    let after = change.after.as_ref()?;
    let pool = after.text(&["spec", "pool", "name"]);
    let same = change.before.as_ref().is_some_and(|before| {
        [&["spec", "pool", "name"][..], &["spec", "configVersion", "desired"], &["status", "conditions"]]
            .iter()
            .all(|path| before.at(path) == after.at(path))
    });
    (!same && !pool.is_empty()).then(|| ObjectName::cluster(pool))
}

/// The pools that a change of a node matters to.
fn pools_of_change(change: &Change, pools: &[Arc<Object>]) -> Vec<ObjectName> {
    let of = |node: &Object| -> Vec<ObjectName> {
        let found = membership::pools_of(node, pools);
        // A node that is in several pools by mistake belongs to none until that is put right.
        found.unwrap_or_default().iter().map(|pool| pool.object_name()).collect()
    };
    let (before, after) = match (&change.before, &change.after) {
        (Some(before), Some(after)) => (before, after),
        (Some(node), None) | (None, Some(node)) => return of(node),
        (None, None) => return Vec::new(),
    };
    if !node_state::is_managed(after) {
        return Vec::new();
    }
    let current = of(after);
    if current.is_empty() {
        return current;
    }
    let mut names = match membership::pools_of(before, pools) {
        Ok(old) => old
            .first()
            .filter(|pool| pool.object_name() != current[0])
            .map(|pool| pool.object_name())
            .into_iter()
            .collect(),
        Err(_) => {
            membership::selecting(before, pools).iter().map(|pool| pool.object_name()).collect::<Vec<_>>()
        }
    };
    if matters(before, after) {
        names.extend(current);
    }
    names
}

/// True if something of a node changed that decides about updates.
fn matters(before: &Object, after: &Object) -> bool {
    const KEYS: [&str; 6] = [CURRENT_CONFIG, DESIRED_CONFIG, STATE, REASON, CURRENT_IMAGE, DESIRED_IMAGE];
    let completes =
        before.annotation(CURRENT_CONFIG) != before.annotation(DESIRED_CONFIG) && node_state::is_done(after);
    completes
        || node_state::check_ready(before) != node_state::check_ready(after)
        || KEYS.iter().any(|key| before.annotation(key) != after.annotation(key))
        || before.at(&["metadata", "labels"]) != after.at(&["metadata", "labels"])
        || before.at(&["spec", "taints"]) != after.at(&["spec", "taints"])
}

/// Why a pool is not brought further.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum SyncError {
    Limit(#[from] LimitError),
    Api(#[from] ApiError),
}

impl NodeController {
    fn sync(&mut self, api: &mut ApiServer, pool: &Arc<Object>) -> Result<(), SyncError> {
        if pool.text(&["spec", "configuration", "name"]).is_empty() {
            return Ok(());
        }
        let with_arbiter = topology(api) == WITH_ARBITER;
        let named = |api: &ApiServer, name: &str| {
            api.find(GROUP, "MachineConfigPool", &ObjectName::cluster(name)).cloned()
        };
        if pool.name() == ARBITER {
            return match named(api, MASTER) {
                None => self.write_status(api, pool),
                Some(master) if with_arbiter && is_paused(&master) => {
                    if count_unavailable(&self.nodes.of_pool(api, &master)) > 0 {
                        self.write_status(api, pool)
                    } else {
                        self.advance(api, pool, 0, 0).map(drop)
                    }
                }
                Some(master) => {
                    self.write_status(api, pool)?;
                    self.sync(api, &master)
                }
            };
        }
        let arbiter = if pool.name() == MASTER && with_arbiter { named(api, ARBITER) } else { None };
        let unavailable = match &arbiter {
            Some(arbiter) => count_unavailable(&self.nodes.of_pool(api, arbiter)),
            None => 0,
        };
        let held = self.advance(api, pool, unavailable, 0)?;
        match arbiter {
            Some(arbiter) if !is_paused(pool) => self.advance(api, &arbiter, 0, held).map(drop),
            _ => Ok(()),
        }
    }

    /// Lets nodes of a pool begin, as many as may, unless nodes elsewhere stand in the way: of the arbiter's pool for the
    /// control plane, of the control plane for the arbiter. Answers how many nodes are under way or could be.
    fn advance(
        &mut self,
        api: &mut ApiServer,
        pool: &Arc<Object>,
        unavailable_arbiters: usize,
        busy_masters: usize,
    ) -> Result<usize, SyncError> {
        if pool.at(&["spec", "nodeSelector"]) == Some(&json!({})) {
            let text = "This machineconfigpool is selecting all nodes. A non-empty selector is required.";
            self.recorder.warning(api, pool, "SelectingAll", text);
            return Ok(0);
        }
        if pool.is_terminating() || is_paused(pool) {
            return self.write_status(api, pool).map(|()| 0);
        }
        let target = pool.text(&["spec", "configuration", "name"]).to_owned();
        let nodes = self.nodes.of_pool(api, pool);
        let limit = match candidates::max_unavailable(pool, nodes.len()) {
            Ok(limit) => limit,
            Err(error) => {
                self.write_status(api, pool)?;
                return Err(error.into());
            }
        };
        let limit = if unavailable_arbiters > 0 { 0 } else { limit };
        self.mark(api, &nodes, &target)?;
        if busy_masters > 0 {
            return self.write_status(api, pool).map(|()| 0);
        }
        let (candidates, capacity) = candidates::candidates(&nodes, &target, limit);
        let busy = count_unavailable(&nodes) + candidates.len();
        let mut last = None;
        if !candidates.is_empty() {
            last = self.begin(api, pool, candidates, capacity, &target)?;
        }
        self.write_status_as_seen(api, pool, last).map(|()| busy)
    }

    /// Keeps the annotation of the topology, and the taint of nodes whose update is still to come.
    fn mark(&self, api: &mut ApiServer, nodes: &[Arc<NodeState>], target: &str) -> Result<(), ApiError> {
        let topology = topology(api);
        let is_as_it_should = |state: &NodeState| {
            let knows = topology.is_empty() || state.topology.as_ref() == Some(&topology);
            knows && state.is_marked == state.awaits(target)
        };
        for state in nodes.iter().filter(|state| !is_as_it_should(state)) {
            self.writer.change(api, "", "Node", &state.node.object_name(), |node| {
                if !topology.is_empty() {
                    node.set(&["metadata", "annotations", CONTROL_PLANE_TOPOLOGY], topology.as_str());
                }
                let mut taints = node.list(&["spec", "taints"]).to_vec();
                match (taints.iter().any(is_in_progress_taint), state.awaits(target)) {
                    (true, false) => taints.retain(|taint| !is_in_progress_taint(taint)),
                    (false, true) => taints.push(json!({"key": IN_PROGRESS, "effect": "PreferNoSchedule"})),
                    _ => return,
                }
                if taints.is_empty() {
                    node.remove(&["spec", "taints"]);
                } else {
                    node.set(&["spec", "taints"], taints);
                }
            })?;
        }
        Ok(())
    }

    /// Tells the chosen ones of the candidates to begin; answers with the last one as it was before.
    fn begin(
        &mut self,
        api: &mut ApiServer,
        pool: &Arc<Object>,
        mut candidates: Vec<Arc<NodeState>>,
        capacity: usize,
        target: &str,
    ) -> Result<Option<Arc<NodeState>>, ApiError> {
        if pool.name() == MASTER && candidates.len() > 1 {
            let operator = node_of_operator(api);
            let runs_operator = |state: &NodeState| Some(state.node.name()) == operator.as_deref();
            if let Some(state) = candidates.iter().find(|state| runs_operator(state)) {
                let text = format!("Deferring update of machine config operator node {}", state.node.name());
                self.recorder.normal(api, pool, "DeferringOperatorNodeUpdate", &text);
            }
            candidates.retain(|state| !runs_operator(state));
        }
        let chosen = candidates::choose(candidates, capacity);
        for state in &chosen {
            let name = state.node.object_name();
            self.writer.change(api, GROUP, "MachineConfigNode", &name, |report| {
                report.set(&["spec", "configVersion", "desired"], target);
            })?;
            self.writer.change(api, "", "Node", &name, |node| {
                node.set(&["metadata", "annotations", DESIRED_CONFIG], target);
                node.remove(&["metadata", "annotations", DESIRED_IMAGE]);
            })?;
        }
        let text = match chosen.as_slice() {
            [] => return Ok(None),
            [state] => format!("Targeted node {} to MachineConfig: {target}", state.node.name()),
            several => format!("Set target for {} nodes to MachineConfig: {target}", several.len()),
        };
        self.recorder.normal(api, pool, "SetDesiredConfig", &text);
        Ok(chosen.last().cloned())
    }

    /// Writes counts and conditions.
    fn write_status(&mut self, api: &mut ApiServer, pool: &Arc<Object>) -> Result<(), SyncError> {
        self.write_status_as_seen(api, pool, None)
    }

    /// Writes counts and conditions of nodes as the reference's cache has them: it does not know of the last write yet.
    fn write_status_as_seen(
        &mut self,
        api: &mut ApiServer,
        pool: &Arc<Object>,
        last: Option<Arc<NodeState>>,
    ) -> Result<(), SyncError> {
        let Some(pool) = api.find(GROUP, "MachineConfigPool", &pool.object_name()).cloned() else {
            return Ok(());
        };
        let mut nodes = self.nodes.of_pool(api, &pool);
        if let Some(last) = last
            && let Some(place) = nodes.iter_mut().find(|state| state.node.name() == last.node.name())
        {
            *place = last;
        }
        let reports = self.nodes.reports(api, &nodes);
        let facts = pool_status::Facts {
            nodes: &nodes,
            machine_config_nodes: &reports,
            counts_machine_config_nodes: self.counts_machine_config_nodes,
            now: api.now(),
        };
        let mut status = pool.get("status").cloned().unwrap_or_else(|| json!({}));
        if let (Some(old), Value::Object(new)) = (status.as_object_mut(), pool_status::status(&pool, &facts))
        {
            old.extend(new);
        }
        let configuration = |status: &Value| status.text(&["configuration", "name"]).to_owned();
        let is_complete = configuration(&status) != pool.text(&["status", "configuration", "name"]);
        let text = format!(
            "Pool {} has completed update to MachineConfig {}",
            pool.name(),
            pool.text(&["spec", "configuration", "name"])
        );
        self.writer.update_status(api, &pool, status)?;
        if is_complete {
            self.recorder.normal(api, &pool, "Completed", &text);
        }
        Ok(())
    }
}

fn is_paused(pool: &Object) -> bool {
    pool.at(&["spec", "paused"]).is_some_and(|paused| paused == true)
}

fn count_unavailable(nodes: &[Arc<NodeState>]) -> usize {
    nodes.iter().filter(|state| state.is_unavailable).count()
}

/// The node that runs the Machine Config Operator, if one does.
fn node_of_operator(api: &ApiServer) -> Option<String> {
    let kind = api.kind_id("", "Pod")?;
    let mut pods = api.store().with_label(kind, "k8s-app", "machine-config-operator");
    let first = pods.next()?;
    pods.next().is_none().then(|| first.text(&["spec", "nodeName"]).to_owned())
}

/// The topology of the control plane, empty if nothing says it.
fn topology(api: &ApiServer) -> String {
    let config = ObjectName::cluster("machine-config-controller");
    let config = api.find(GROUP, "ControllerConfig", &config);
    let text = config.map(|config| config.text(&["spec", "infra", "status", "controlPlaneTopology"]));
    text.unwrap_or_default().to_owned()
}
