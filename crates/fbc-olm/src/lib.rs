//! OLM v1: catalogd and operator-controller as controllers of the cluster.
//!
//! | module | what it holds |
//! |---|---|
//! | [`options`] | which release of OLM runs, with which feature gates, in which namespace |
//! | [`content`] | the images that the cluster can pull: catalogs and bundles |
//! | [`names`] | labels, annotations, finalizers and names of kinds |
//! | [`conditions`] | `status.conditions` as Kubernetes' own functions keep them |
//! | [`definitions`] | the custom resource definitions of each release |
//! | [`setting`] | a cluster with OLM installed and nothing else |
//! | [`catalogd`] | the controller of ClusterCatalogs, and its webhook |
//! | [`operator_controller`] | the controller of ClusterExtensions, and its engines |
//! | [`cluster_operator`] | the condition `Upgradeable` of the ClusterOperator `olm` |
//! | [`mirrors`] | mirrors of registries, for clusters without a connection |
//! | [`workloads`] | the objects that the controllers are installed with |
//! | [`revisions`] | the controller of ClusterObjectSets |
//!
//! To add OLM to a cluster: push images into a [`content::SharedImages`], then
//! `api.add_mutator(Arc::new(catalogd::NameLabel))` and add a [`catalogd::Catalogd`] and an
//! [`operator_controller::OperatorController`] as controllers. The cluster must serve the kinds of OLM.

pub mod catalogd;
pub mod cluster_operator;
pub mod conditions;
pub mod content;
pub mod default_catalogs;
pub mod definitions;
pub mod deployments;
pub mod mirrors;
pub mod names;
pub mod operator_controller;
pub mod options;
pub mod revisions;
pub mod setting;
pub mod workloads;

pub use options::{FeatureGates, Options, Target};
