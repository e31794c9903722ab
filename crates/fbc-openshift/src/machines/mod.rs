//! The Machine API: machines, sets, health checks, hooks, the control plane.
//!
//! | module | what it holds |
//! |---|---|
//! | [`hooks`] | lifecycle hooks: their conditions, and who may change them when |
//! | [`deletion_order`] | which machines of a set go first |
//! | [`health`] | which machines a health check wants replaced |

pub mod deletion_order;
mod duration;
pub mod health;
pub mod hooks;
#[cfg(test)]
mod tests;

/// The group of the custom kinds.
pub const GROUP: &str = "machine.openshift.io";
/// The namespace of the Machine API.
pub const NAMESPACE: &str = "openshift-machine-api";
/// What keeps a machine until its instance and node are gone.
pub const FINALIZER: &str = "machine.machine.openshift.io";
