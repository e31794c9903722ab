//! Which pools a node belongs to.
//!
//! Source: `openshift/machine-config-operator:pkg/helpers/helpers.go` (MC-2).

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::selector::LabelSelector;

use super::{MASTER, WORKER};

/// A node that more than one custom pool selects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("node {node} belongs to {count} custom roles, cannot proceed with this Node")]
pub struct SeveralPools {
    node: String,
    count: usize,
}

/// The pools of a node; the first one is the one whose configuration it gets.
///
/// # Errors
/// [`SeveralPools`]
pub fn pools_of<'p>(node: &Object, pools: &'p [Arc<Object>]) -> Result<Vec<&'p Arc<Object>>, SeveralPools> {
    let selecting = selecting(node, pools);
    let named = |name: &str| selecting.iter().copied().find(|pool| pool.name() == name);
    let (master, worker) = (named(MASTER), named(WORKER));
    let mut custom = selecting.iter().copied().filter(|pool| ![MASTER, WORKER].contains(&pool.name()));
    let first = custom.next();
    let further = custom.count();
    if further > 0 {
        return Err(SeveralPools { node: node.name().to_owned(), count: further + 1 });
    }
    Ok(match (first, master) {
        (Some(custom), master) => [Some(master.unwrap_or(custom)), worker].into_iter().flatten().collect(),
        (None, Some(master)) => vec![master],
        (None, None) => worker.into_iter().collect(),
    })
}

/// All pools that select a node, whatever that means.
pub fn selecting<'p>(node: &Object, pools: &'p [Arc<Object>]) -> Vec<&'p Arc<Object>> {
    if node.label("kubernetes.io/os") == Some("windows") {
        return Vec::new();
    }
    pools.iter().filter(|pool| selects(pool, node)).collect()
}

/// Which nodes a pool selects. A pool that selects everything selects nothing.
fn selector(pool: &Object) -> Option<LabelSelector> {
    let selector = LabelSelector::of_object(pool.at(&["spec", "nodeSelector"])).ok()?;
    (!selector.is_everything()).then_some(selector)
}

fn selects(pool: &Object, node: &Object) -> bool {
    selector(pool).is_some_and(|selector| selector.matches_object(node))
}
