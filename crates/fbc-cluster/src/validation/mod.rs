//! The built-in kinds: which there are, what is assumed where nothing is said, and what is refused.
//!
//! For an object of a built-in kind the API server does, in this order: [`crate::types::decode`], [`default`],
//! [`validate`] or [`validate_update`]; what these find becomes [`crate::error::ApiError::invalid`]. Custom kinds need
//! of this module [`validate_metadata`] and [`validate_metadata_update`] only.

mod affinity;
mod autoscaler;
mod certificate_requests;
mod claims;
mod containers;
mod defaults;
mod downward_api;
mod environment;
mod ingress;
mod internal_json;
mod jobs;
mod kinds;
mod metadata;
pub mod names;
mod nodes;
mod others;
mod pod_defaults;
mod pod_update;
mod pod_warnings;
mod pods;
mod probes;
mod resources;
mod rules;
mod security;
mod strategy;
mod volumes;
mod warnings;
mod webhook_configurations;
mod windows;
mod workloads;

#[cfg(test)]
mod pod_tests;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::object::ObjectFields as _;

pub use certificate_requests::validate_certificate_request_update;
pub use defaults::default;
pub use kinds::{builtin_kinds, register, strategy_of};
pub use metadata::{validate_labels, validate_metadata, validate_metadata_update, validate_selector};
pub use pod_update::validate_pod_part_update;
pub use rules::{validate, validate_update};
pub use strategy::{Counts, Strategy};
pub use warnings::{finalizer_warnings, warnings};

/// Makes a field what another value has there.
fn copy_field(to: &mut Value, from: &Value, path: &[&str]) {
    match from.at(path) {
        Some(value) => to.set(path, value.clone()),
        None => drop(to.remove(path)),
    }
}

/// What errors say.
#[cfg(test)]
fn texts(errors: &[crate::error::FieldError]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}
