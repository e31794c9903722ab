//! Which nodes of a pool begin their update next.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/node/node_controller.go` (MC-6, MC-11 to MC-13).

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::json;

use super::ARBITER;
use super::node_state::NodeState;
use crate::int_or_percent::{PlainText, ShareError, scaled};

/// The label of the zone that a node is in.
const ZONE: &str = "topology.kubernetes.io/zone";

/// A pool that does not say how many of its nodes may be unavailable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("maxUnavailable: {0}")]
pub struct LimitError(#[from] ShareError);

/// How many nodes of a pool may be unavailable.
///
/// # Errors
/// [`LimitError`]
pub fn max_unavailable(pool: &Object, nodes: usize) -> Result<i64, LimitError> {
    if pool.name() == ARBITER {
        return Ok(1);
    }
    let one = json!(1);
    let value = pool.given(&["spec", "maxUnavailable"]).unwrap_or(&one);
    let number = scaled(value, nodes, PlainText::Mistake)?;
    Ok(if number == 0 { 1 } else { number })
}

/// Nodes that could begin now, in the order in which they came, and how many of them may.
pub fn candidates(
    nodes: &[Arc<NodeState>],
    target: &str,
    max_unavailable: i64,
) -> (Vec<Arc<NodeState>>, usize) {
    let unavailable = nodes.iter().filter(|state| state.is_unavailable).count();
    let (waiting, others): (Vec<_>, Vec<_>) = nodes.iter().partition(|state| state.needs(target));
    let failing = others.iter().filter(|state| state.is_failing).count();
    let taken = i64::try_from(unavailable + failing).unwrap_or(i64::MAX);
    match usize::try_from(max_unavailable.saturating_sub(taken)) {
        Ok(capacity) if capacity > 0 => {
            (waiting.into_iter().filter(|state| state.is_ready).cloned().collect(), capacity)
        }
        _ => (Vec::new(), 0),
    }
}

/// The candidates that begin: zone after zone, the oldest first, nodes without a zone last.
pub fn choose(mut candidates: Vec<Arc<NodeState>>, capacity: usize) -> Vec<Arc<NodeState>> {
    if capacity < candidates.len() {
        candidates.sort_by(|one, other| order(&one.node).cmp(&order(&other.node)));
        candidates.truncate(capacity);
    }
    candidates
}

/// What nodes are sorted by. The reference leaves nodes of one zone and age in any order; here names decide.
fn order(node: &Object) -> (bool, &str, &str, &str) {
    let zone = node.label(ZONE);
    (zone.is_none(), zone.unwrap_or_default(), node.text(&["metadata", "creationTimestamp"]), node.name())
}
