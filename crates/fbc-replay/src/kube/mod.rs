//! Recordings of Kubernetes: each module plays the cases of one folder.

mod compare;
pub(crate) mod daemon_pods;
pub(crate) mod draining;
pub(crate) mod evictions;
pub(crate) mod no_execute;
pub(crate) mod node_conditions;
pub(crate) mod node_loss;
pub(crate) mod scheduling;
pub(crate) mod taint_command;
pub(crate) mod waking;
mod world;
pub(crate) mod zones;
