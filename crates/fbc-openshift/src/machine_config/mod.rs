//! The Machine Config Operator: pools, nodes, drains.
//!
//! | module | what it holds |
//! |---|---|
//! | [`membership`] | which pool a node belongs to |
//! | [`node_state`] | what the annotations and conditions of a node say about its configuration |
//! | [`machine_config_node`] | what a MachineConfigNode says about its node |
//! | [`candidates`] | which nodes of a pool begin their update next |
//! | [`pool_status`] | counts and conditions of a pool |
//! | [`rendered_name`] | names of rendered configurations |
//! | [`node_controller`] | the controller that tells nodes their configuration |
//! | [`control_plane_nodes`] | labels and taints of the control plane |
//! | [`drain_controller`] | cordons and drains that nodes ask for |
//! | [`daemon`] | what happens on nodes, as data |

pub mod candidates;
pub mod control_plane_nodes;
pub mod daemon;
pub mod drain_controller;
pub mod machine_config_node;
pub mod membership;
pub mod node_controller;
pub mod node_state;
mod node_states;
pub mod pool_status;
pub mod rendered_name;
mod reports;
#[cfg(test)]
mod tests;

/// The group of the custom kinds.
pub const GROUP: &str = "machineconfiguration.openshift.io";

/// The label of pools whose nodes an update of the cluster waits for.
pub const REQUIRED_FOR_UPGRADE: &str = "operator.machineconfiguration.openshift.io/required-for-upgrade";

/// The pool of the control plane.
pub const MASTER: &str = "master";
/// The pool of nodes that no other pool selects.
pub const WORKER: &str = "worker";
/// The pool of nodes that only take part in votes of etcd.
pub const ARBITER: &str = "arbiter";

/// Annotations of nodes.
pub mod annotation {
    /// The configuration that a node has.
    pub const CURRENT_CONFIG: &str = "machineconfiguration.openshift.io/currentConfig";
    /// The configuration that a node is to get.
    pub const DESIRED_CONFIG: &str = "machineconfiguration.openshift.io/desiredConfig";
    /// The image of the operating system that a node has.
    pub const CURRENT_IMAGE: &str = "machineconfiguration.openshift.io/currentImage";
    /// The image of the operating system that a node is to get.
    pub const DESIRED_IMAGE: &str = "machineconfiguration.openshift.io/desiredImage";
    /// `Done`, `Working`, `Rebooting`, `Degraded`, `Unreconcilable`.
    pub const STATE: &str = "machineconfiguration.openshift.io/state";
    /// Why the state is what it is.
    pub const REASON: &str = "machineconfiguration.openshift.io/reason";
    /// What a node asks of the drain controller: `drain-CONFIG` or `uncordon-CONFIG`.
    pub const DESIRED_DRAIN: &str = "machineconfiguration.openshift.io/desiredDrain";
    /// What the drain controller did last.
    pub const LAST_APPLIED_DRAIN: &str = "machineconfiguration.openshift.io/lastAppliedDrain";
    /// The topology of the control plane.
    pub const CONTROL_PLANE_TOPOLOGY: &str = "machineconfiguration.openshift.io/controlPlaneTopology";
}
