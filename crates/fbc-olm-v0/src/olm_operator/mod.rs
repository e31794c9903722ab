//! olm-operator: OperatorGroups, ClusterServiceVersions, and what belongs to them.
//!
//! Each queue of the program is a controller of its own; they ask each other to look at objects as the queues do.
//!
//! | module | what it holds |
//! |---|---|
//! | [`csv`] | ClusterServiceVersions: phases, requirements, health, their end |
//! | [`install`] | what is installed for one: Deployments, certificates, webhooks, APIServices |
//! | [`operator_groups`], [`group_status`] | OperatorGroups: targets, annotations, APIs; what their status says of accounts and other groups |
//! | [`cluster_roles`] | ClusterRoles of groups and of APIs; rights of operators for all namespaces |
//! | [`namespaces`] | labels of the namespaces of groups |
//! | [`copies`], [`tenants`], [`olm_config`] | copied ClusterServiceVersions, their rights, and the switch that turns them off |
//! | [`conditions`] | OperatorConditions |
//! | [`adoption`], [`operators`] | labels of the parts of operators, and the list of them |
//! | [`api_services`] | APIServices whose operator is gone |
//! | [`apis`] | the APIs that operators provide, and groups that overlap |
//! | [`owners`], [`hash`] | owners, hashes |
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators`.

pub mod adoption;
pub mod api_services;
pub mod apis;
pub mod cluster_roles;
pub mod conditions;
pub mod copies;
pub mod csv;
pub mod group_status;
pub mod hash;
pub mod install;
pub mod namespaces;
pub mod olm_config;
pub mod operator_groups;
pub mod operators;
pub mod owners;
pub mod tenants;
#[cfg(test)]
mod tests;

use fbc_cluster::engine::Controller;
use fbc_cluster::time::{MINUTE, Milliseconds};

use crate::Options;

/// The queue of ClusterServiceVersions.
pub const CLUSTER_SERVICE_VERSIONS: &str = "cluster-service-versions";
/// The queue of ClusterServiceVersions that are to be copied.
pub const COPIES: &str = "cluster-service-version-copies";
/// The queue of copies.
pub const COPIED: &str = "copied-cluster-service-versions";
/// The queue of OperatorGroups.
pub const OPERATOR_GROUPS: &str = "operator-groups";
/// The queue of namespaces.
pub const NAMESPACES: &str = "operator-group-namespaces";
/// The queue of OLMConfigs.
pub const OLM_CONFIGS: &str = "olm-configs";

/// After which while olm-operator hears of every object anew.
pub const RESYNC: Milliseconds = 5 * MINUTE;

/// The controllers of olm-operator, in the order in which they start.
pub fn controllers(options: &Options) -> Vec<Box<dyn Controller>> {
    vec![
        Box::new(adoption::Subscriptions::new(options)),
        Box::new(adoption::Components::new(options)),
        Box::new(conditions::Generator::new(options)),
        Box::new(conditions::Conditions::new(options)),
        Box::new(namespaces::Namespaces::new(options)),
        Box::new(operator_groups::OperatorGroups::new(options)),
        Box::new(csv::ClusterServiceVersions::new(options)),
        Box::new(copies::Copies::new(options)),
        Box::new(copies::Copied::new(options)),
        Box::new(olm_config::OlmConfigs::new(options)),
        Box::new(api_services::ApiServices::new(options)),
        Box::new(operators::Operators::new(options)),
    ]
}
