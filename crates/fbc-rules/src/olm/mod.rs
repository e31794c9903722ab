//! Readiness for OLM v1: what its resolver and installer refuse, as far as a catalog tells.

use fbc_lint::registry::DirectoryPlace::{self, ClusterServiceVersion, Dependencies};
use fbc_lint::rule::Rule;

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

/// The rules that bundle directories are judged by as well. A directory has no image yet: it is built from the directory.
pub static OF_DIRECTORIES: &[(&Rule, DirectoryPlace)] = &[
    (&dependencies::RULE, Dependencies),
    (&install_mode::RULE, ClusterServiceVersion("/spec/installModes")),
    (&owned_api_services::RULE, ClusterServiceVersion("/spec/apiservicedefinitions")),
    (&webhooks::RULE, ClusterServiceVersion("/spec/webhookdefinitions")),
    (&operator_conditions::RULE, ClusterServiceVersion("/metadata/name")),
    (&channel_name::RULE, ClusterServiceVersion("")),
    (&shared_definition::RULE, ClusterServiceVersion("")),
];
