//! OpenShift's own controllers on a simulated cluster. They get nothing but what any controller gets: the API server
//! and the engine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`release`] | release payloads: loading, inclusion, the graph of tasks |
//! | [`update_service`] | the graph of updates, and what a cluster is offered |
//! | [`cluster_version`] | the Cluster Version Operator |
//! | [`cluster_operators`] | cluster operators as behaviours |
//! | [`cluster_update`] | a whole update of a cluster, with what it took and what stopped it |
//! | [`definitions`] | the custom kinds that these controllers need before any payload brings its own |
//! | [`platform`] | the kinds of OpenShift, what is in its namespaces, certificates for services |
//! | [`machine_config`] | the Machine Config Operator: pools, nodes, drains |
//! | [`machines`] | the Machine API: machines, sets, health checks, node link, hooks |
//! | [`etcd`] | members of etcd, quorum, and the operator that protects it |

pub mod cluster_operators;
pub mod cluster_update;
pub mod cluster_version;
mod data_error;
pub mod definitions;
mod delays;
mod drain;
pub mod etcd;
mod int_or_percent;
pub mod machine_config;
pub mod machines;
pub mod platform;
#[cfg(test)]
#[path = "recorded_tests.rs"]
mod recorded;
pub mod release;
pub mod setup;
pub mod update_service;
mod writer;

pub use data_error::DataError;
pub use int_or_percent::ShareError;
