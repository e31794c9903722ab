//! What happens to an object between the decoder and the store: it is completed, and may be refused.
//!
//! | module | what it does |
//! |---|---|
//! | [`pods`] | tolerations, priorities and classes of pods, taints of new nodes |
//! | `limit_ranges`, `quotas`, `amounts` | what containers ask for that say nothing, and how much a namespace may use |
//! | `classes` | default classes of claims and ingresses, classes of runtimes |
//! | [`pod_security`] | what namespaces let their pods ask for |
//! | [`service_account`] | pods run as an account that exists |
//! | [`request`] | a request as webhooks and policies see it |
//! | `mutating_policies`, `policies`, `bindings` | admission policies that change objects, those that refuse them, and what brings either into force |
//! | [`webhooks`] | admission webhooks, called through a trait; a stand-in for those of bundles |
//!
//! The order is that of the API server: plugins that change objects, mutating policies, mutating webhooks, validation, limit ranges, policies, validating
//! webhooks, quotas.

pub(crate) mod amounts;
mod bindings;
pub(crate) mod classes;
pub(crate) mod limit_ranges;
pub(crate) mod mutating_policies;
pub mod pod_security;
pub mod pods;
pub(crate) mod policies;
#[cfg(test)]
mod policy_tests;
pub(crate) mod quotas;
pub mod request;
pub mod service_account;
pub mod webhooks;

use crate::object::{Object, ObjectFields};

/// How many characters the API server appends to `generateName`.
const GENERATED: usize = 5;

/// The name of a new object in refusals: a name that is yet to be generated is only its beginning.
///
/// Source: `kubernetes/apiserver:pkg/admission/errors.go`.
pub(crate) fn shown_name(object: &Object) -> &str {
    let (name, prefix) = (object.name(), object.text(&["metadata", "generateName"]));
    let is_generated = !prefix.is_empty()
        && (name.is_empty() || name.len() == prefix.len() + GENERATED && name.starts_with(prefix));
    if is_generated { prefix } else { name }
}

/// Plugins that a cluster may do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plugins {
    /// `ServiceAccount`: refuses pods whose account does not exist. It needs a controller that makes the account
    /// `default` of every namespace.
    pub service_accounts: bool,
}
