//! The Cluster Version Operator: it brings a cluster to the release that ClusterVersion asks for, and keeps it there.
//!
//! | module | what it holds |
//! |---|---|
//! | [`operator`] | the controller: what happens when |
//! | [`options`] | how it is started, and what it reaches outside of the cluster |
//! | `process`, `applying` | a running operator and its loops |
//! | `sync` | from the wanted release to work, and from work to the status |
//! | `status`, `history`, `conditions` | what it writes into ClusterVersion |
//! | `updates` | updates that the update service offers |
//! | `generation` | what differs from release to release |
//! | `upgradeable`, `upgradeable_checks`, `preconditions`, `validation` | what stands against an update |
//! | `signatures`, `retrieval` | verifying and getting payloads |
//! | `pass`, `apply`, `wait` | one run over a payload; one manifest; what is waited for |
//! | `update_error` | what went wrong, and what it means for the update |
//! | `capability_sets` | which capabilities are on |
//!
//! Source: `openshift/cluster-version-operator`, July 2026.

mod apply;
mod applying;
mod capability_sets;
pub(crate) mod conditions;
mod generation;
mod history;
pub mod operator;
pub mod options;
mod pass;
mod preconditions;
mod process;
mod retrieval;
mod signatures;
mod status;
mod sync;
mod update_error;
mod updates;
mod upgradeable;
mod upgradeable_checks;
mod validation;
mod wait;

pub use fbc_signature::openpgp::has_keys;
pub use generation::Generation;
pub use operator::ClusterVersionOperator;
pub use options::{Answer, Options, Outside};
pub(crate) use preconditions::blocking as blocking_preconditions;
pub use signatures::asks_store;
pub use updates::DEFAULT_SERVICE;

/// The API group of ClusterVersion and ClusterOperator.
pub(crate) const GROUP: &str = "config.openshift.io";
/// The namespace of the operator.
pub(crate) const NAMESPACE: &str = "openshift-cluster-version";
/// The name of the only ClusterVersion.
pub(crate) const VERSION: &str = "version";
