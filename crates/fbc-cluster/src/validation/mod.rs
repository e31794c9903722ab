//! The built-in kinds: which there are, what is assumed where nothing is said, and what is refused.
//!
//! For an object of a built-in kind the API server does, in this order: [`crate::types::decode`], [`default`],
//! [`validate`] or [`validate_update`]; what these find becomes [`crate::error::ApiError::invalid`]. Custom kinds need
//! of this module [`validate_metadata`] and [`validate_metadata_update`] only.

mod affinity;
mod autoscaler;
mod claims;
mod containers;
mod defaults;
mod downward_api;
mod environment;
mod ingress;
mod internal;
mod jobs;
mod kinds;
mod metadata;
pub mod names;
mod nodes;
mod others;
mod pod_defaults;
mod pod_diff;
mod pod_update;
mod pods;
mod probes;
mod resources;
mod rules;
mod security;
mod volumes;
mod webhook_configurations;
mod windows;
mod workloads;

#[cfg(test)]
mod tests;

pub use defaults::default;
pub use kinds::{builtin_kinds, register};
pub use metadata::{validate_labels, validate_metadata, validate_metadata_update, validate_selector};
pub use rules::{validate, validate_update};
