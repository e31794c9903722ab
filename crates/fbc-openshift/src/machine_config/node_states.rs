//! The states of all nodes, with their pools and what is reported of them: of many nodes few change between two looks at
//! them.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::machine_config_node::MachineConfigNodeState;
use super::node_state::NodeState;
use super::{GROUP, membership};

/// The states of the nodes of a cluster, and their MachineConfigNodes, in the order of their names.
#[derive(Debug, Default)]
pub(super) struct NodeStates {
    /// What decided about the pools of nodes: names of pools and their selectors.
    selectors: Vec<(String, Option<Value>)>,
    nodes: Vec<Known>,
    reports: Vec<Arc<MachineConfigNodeState>>,
}

#[derive(Debug)]
struct Known {
    state: Arc<NodeState>,
    /// The pool whose configuration it gets.
    pool: Option<String>,
}

impl NodeStates {
    /// The nodes whose configuration comes from a pool, as they are now.
    pub(super) fn of_pool(&mut self, api: &ApiServer, pool: &Object) -> Vec<Arc<NodeState>> {
        let pools: Vec<Arc<Object>> = api.all(GROUP, "MachineConfigPool").cloned().collect();
        let selector =
            |pool: &Arc<Object>| (pool.name().to_owned(), pool.at(&["spec", "nodeSelector"]).cloned());
        let selectors: Vec<_> = pools.iter().map(selector).collect();
        if selectors != self.selectors {
            self.selectors = selectors;
            self.nodes.clear();
        }
        let known = |node: &Arc<Object>| {
            let found = membership::pools_of(node, &pools).unwrap_or_default();
            let pool = found.first().map(|pool| pool.name().to_owned());
            Known { state: Arc::new(NodeState::new(node)), pool }
        };
        renew(&mut self.nodes, api.all("", "Node"), |known| &known.state.node, known);
        let nodes = self.nodes.iter().filter(|known| known.pool.as_deref() == Some(pool.name()));
        nodes.map(|known| Arc::clone(&known.state)).collect()
    }

    /// The MachineConfigNodes of nodes, which come in the order of their names.
    pub(super) fn reports(
        &mut self,
        api: &ApiServer,
        nodes: &[Arc<NodeState>],
    ) -> Vec<Arc<MachineConfigNodeState>> {
        let objects = api.all(GROUP, "MachineConfigNode");
        renew(
            &mut self.reports,
            objects,
            |report| &report.object,
            |object| Arc::new(MachineConfigNodeState::new(object)),
        );
        let mut names = nodes.iter().map(|state| state.node.name()).peekable();
        let is_wanted = |report: &&Arc<MachineConfigNodeState>| {
            while names.next_if(|name| *name < report.object.name()).is_some() {}
            names.next_if_eq(&report.object.name()).is_some()
        };
        self.reports.iter().filter(is_wanted).cloned().collect()
    }
}

/// Brings what is known of objects up to date; what is known of those that have not changed stays. Both come in the order
/// of their names.
fn renew<'o, K>(
    known: &mut Vec<K>,
    objects: impl Iterator<Item = &'o Arc<Object>>,
    object: impl Fn(&K) -> &Arc<Object>,
    read: impl Fn(&Arc<Object>) -> K,
) {
    let mut old = std::mem::take(known).into_iter().peekable();
    known.extend(objects.map(|new| {
        while old.next_if(|one| object(one).name() < new.name()).is_some() {}
        let same = old.next_if(|one| object(one).name() == new.name());
        same.filter(|one| Arc::ptr_eq(object(one), new)).unwrap_or_else(|| read(new))
    }));
}
