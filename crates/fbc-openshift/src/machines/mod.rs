//! The Machine API: machines, sets, health checks, hooks, the control plane.
//!
//! | module | what it holds |
//! |---|---|
//! | [`hooks`] | lifecycle hooks: their conditions, and who may change them when |
//! | [`deletion_order`] | which machines of a set go first |
//! | [`health`] | which machines a health check wants replaced |
//! | [`machine_controller`] | phases of machines, from the instance that is made to the node that is deleted |
//! | [`drain_controller`] | nodes of machines are emptied before their instances go |
//! | [`machine_set`] | as many machines as are wanted |
//! | [`health_checks`] | unhealthy machines are replaced |
//! | [`autoscaler`] | nodes that nobody needs go, sets become larger for pods without room |
//! | [`control_plane`] | machines of the control plane are replaced one at a time |
//! | [`node_link`] | machines know their nodes, and nodes get what their machines say |
//! | [`hook_owners`] | owners of hooks, as data |
//! | [`provider`] | instances, as data: how long they take, and what fails |

pub mod autoscaler;
mod conditions;
pub mod control_plane;
pub mod deletion_order;
pub mod drain_controller;
mod duration;
pub mod health;
pub mod health_checks;
pub mod hook_owners;
pub mod hooks;
pub mod machine_controller;
pub mod machine_set;
pub mod node_link;
pub mod provider;
mod resync;
#[cfg(test)]
mod tests;

use fbc_cluster::object::{Object, ObjectFields};

/// The group of the custom kinds.
pub const GROUP: &str = "machine.openshift.io";
/// The namespace of the Machine API.
pub const NAMESPACE: &str = "openshift-machine-api";
/// What keeps a machine until its instance and node are gone.
pub const FINALIZER: &str = "machine.machine.openshift.io";

/// True if a node is one of the control plane.
pub(crate) fn is_control_plane(node: &Object) -> bool {
    let roles = ["node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"];
    roles.iter().any(|role| node.label(role).is_some())
}
