//! Role-based access control: policy rules, what they allow, which rules cover which, and what follows from roles and bindings.
//!
//! Everything is a pure function of data; who reads it from manifests or from a cluster's store makes the data.

pub mod access;
pub mod rule;

#[cfg(test)]
mod tests;

pub use access::{Access, Account};
pub use rule::{Request, Rule};

/// The API group of roles and their bindings.
pub const RBAC_GROUP: &str = "rbac.authorization.k8s.io";
