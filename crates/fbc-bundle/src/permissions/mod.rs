//! Permissions: what an installer needs, what an operator may do, what users of its APIs need, and whether
//! operator-controller would let an installation begin.
//!
//! Everything is a pure function of manifests. Rules are evaluated as Kubernetes does it
//! ([`fbc_kubernetes::rbac`]), so that the rest can be held against that.

pub mod installer;
mod needs;
pub mod operator_rights;
pub mod preauthorization;
pub mod rbac_files;
pub mod user_roles;

#[cfg(test)]
mod tests;

pub use needs::{Applier, Need, needs, resource_of_kind};
