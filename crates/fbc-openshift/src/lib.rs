//! OpenShift's own controllers on a simulated cluster. They get nothing but what any controller gets: the API server
//! and the engine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`release`] | release payloads: loading, inclusion, the graph of tasks |
//! | [`update_service`] | the graph of updates, and what a cluster is offered |
//! | [`cluster_version`] | the Cluster Version Operator |
//! | [`definitions`] | kinds that are there before any payload |
//! | [`machine_config`] | the Machine Config Operator: pools, nodes, drains |
//! | [`machines`] | the Machine API: machines, sets, health checks, hooks, the control plane |
//! | [`etcd`] | members of etcd, quorum, and the operator that protects it |
//! | [`definitions`] | definitions of the custom kinds |

pub mod cluster_version;
pub mod definitions;
mod delays;
mod drain;
pub mod etcd;
mod int_or_percent;
pub mod machine_config;
pub mod machines;
#[cfg(test)]
#[path = "recorded_tests.rs"]
mod recorded;
pub mod release;
pub mod replay;
pub mod setup;
pub mod update_service;
mod writer;
