//! Role-based access control: who may do what, and the API server's words where somebody may not.
//!
//! An [`Authorizer`] is told of every role and binding that is written or deleted, and answers questions at once:
//!
//! * [`Authorizer::allows`] and [`Authorizer::check`] for a request, which is also what `kubectl auth can-i` asks;
//! * [`writes::check`] for writes that need more than the right to write: roles and bindings must not grant what the writer
//!   does not have, policies must not read it, owners must not be blocked by just anybody;
//! * [`default_objects`] and [`component_objects`] are the roles and bindings that every cluster has.

mod authorizer;
mod certificates;
mod defaults;
mod escalation;
mod owner_references;
mod policy_parameters;
mod user;
pub mod writes;

#[cfg(test)]
mod tests;

pub use authorizer::{Authorizer, Decision, Role};
pub use defaults::{component_objects, default_objects};
pub use fbc_kubernetes::rbac::{RBAC_GROUP, Rule};
pub use user::{Attributes, User};
