//! Role-based access control: who may do what, and the API server's words where somebody may not.
//!
//! An [`Authorizer`] is told of every role and binding that is written or deleted, and answers questions at once:
//!
//! * [`Authorizer::allows`] and [`Authorizer::check`] for a request, which is also what `kubectl auth can-i` asks;
//! * [`escalation::check_write`] for writes of roles and bindings, which must not grant what the writer does not have;
//! * [`owner_references::check_write`] for the admission plugin `OwnerReferencesPermissionEnforcement`;
//! * [`default_objects`] and [`component_objects`] are the roles and bindings that every cluster has.

mod authorizer;
mod defaults;
pub mod escalation;
pub mod owner_references;
mod user;

#[cfg(test)]
mod tests;

pub use authorizer::{Authorizer, Decision, Role};
pub use defaults::{component_objects, default_objects};
pub use fbc_bundle::permissions::{RBAC_GROUP, Rule};
pub use user::{Attributes, User};
