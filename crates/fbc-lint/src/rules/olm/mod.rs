//! Readiness for OLM v1: what its resolver and installer refuse, as far as a catalog tells.

use crate::rule::Rule;

pub mod bundle_image;
pub mod channel_name;
pub mod dependencies;
pub mod install_mode;
pub mod operator_conditions;
pub mod owned_api_services;
pub mod shared_definition;
pub mod webhooks;

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &dependencies::RULE,
    &install_mode::RULE,
    &owned_api_services::RULE,
    &webhooks::RULE,
    &operator_conditions::RULE,
    &bundle_image::RULE,
    &channel_name::RULE,
    &shared_definition::RULE,
];
