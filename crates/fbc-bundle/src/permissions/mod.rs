//! Permissions: what an installer needs, what an operator may do, what users of its APIs need, and whether
//! operator-controller would let an installation begin.
//!
//! Everything is a pure function of manifests. Rules are evaluated as Kubernetes does it ([`rule`],
//! [`access`]), so that the rest can be held against that.

pub mod access;
pub mod installer;
mod needs;
pub mod operator_rights;
pub mod preauthorization;
pub mod rbac_files;
pub mod rule;
pub mod user_roles;

#[cfg(test)]
mod tests;

pub use access::{Access, Account};
pub use needs::{Engine, Need, needs, resource_of_kind};
pub use rule::{Request, Rule};

/// The API group of roles and their bindings.
pub const RBAC_GROUP: &str = "rbac.authorization.k8s.io";
