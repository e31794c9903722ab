//! The states of all nodes, with their pools: of many nodes few change between two looks at them.

use std::iter::Peekable;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::node_state::NodeState;
use super::{GROUP, membership};

/// The states of the nodes of a cluster, in the order of their names.
#[derive(Debug, Default)]
pub(super) struct NodeStates {
    /// What decided about the pools of nodes: names of pools and their selectors.
    selectors: Vec<(String, Option<Value>)>,
    nodes: Vec<Known>,
}

#[derive(Debug, Clone)]
struct Known {
    state: Arc<NodeState>,
    /// The pool whose configuration it gets.
    pool: Option<String>,
}

impl NodeStates {
    /// The nodes whose configuration comes from a pool, as they are now.
    pub(super) fn of_pool(&mut self, api: &ApiServer, pool: &Object) -> Vec<Arc<NodeState>> {
        self.look(api);
        let nodes = self.nodes.iter().filter(|known| known.pool.as_deref() == Some(pool.name()));
        nodes.map(|known| Arc::clone(&known.state)).collect()
    }

    fn look(&mut self, api: &ApiServer) {
        let pools: Vec<Arc<Object>> = api.all(GROUP, "MachineConfigPool").cloned().collect();
        let selector =
            |pool: &Arc<Object>| (pool.name().to_owned(), pool.at(&["spec", "nodeSelector"]).cloned());
        let selectors: Vec<_> = pools.iter().map(selector).collect();
        if selectors != self.selectors {
            self.selectors = selectors;
            self.nodes.clear();
        }
        let mut known = std::mem::take(&mut self.nodes).into_iter().peekable();
        self.nodes = api.all("", "Node").map(|node| state(node, &mut known, &pools)).collect();
    }
}

/// The state of a node: the one that is known, if the node has not changed since. Both come in the order of their names.
fn state(
    node: &Arc<Object>,
    known: &mut Peekable<impl Iterator<Item = Known>>,
    pools: &[Arc<Object>],
) -> Known {
    while known.next_if(|known| known.state.node.name() < node.name()).is_some() {}
    let same = known.next_if(|known| known.state.node.name() == node.name());
    same.filter(|known| Arc::ptr_eq(&known.state.node, node)).unwrap_or_else(|| {
        let found = membership::pools_of(node, pools).unwrap_or_default();
        let pool = found.first().map(|pool| pool.name().to_owned());
        Known { state: Arc::new(NodeState::new(node)), pool }
    })
}
