//! OLM v0: catalog-operator and olm-operator as controllers of the cluster.
//!
//! | module | what it holds |
//! |---|---|
//! | [`options`] | which release of OLM runs, in which namespace, with which images |
//! | [`content`] | what catalogs serve, and the images of catalogs and bundles |
//! | [`go_json`] | objects as Go writes them, and hashes of that |
//! | [`names`] | labels, annotations, finalizers, groups and kinds |
//! | [`definitions`] | the custom resource definitions |
//! | [`setting`] | a cluster with OLM installed and nothing else |
//! | [`catalog_operator`] | CatalogSources, Subscriptions, unpacking of bundles, InstallPlans |
//! | [`olm_operator`] | OperatorGroups, ClusterServiceVersions, and what belongs to them |
//!
//! To add OLM v0 to a cluster: [`definitions::definitions`], then the objects of [`setting::base_objects`], then the controllers
//! of both operators. Who changes what is served says so with [`catalog_operator::content_changed`].

pub mod catalog_operator;
pub mod content;
pub mod definitions;
pub mod go_json;
pub mod names;
pub mod olm_operator;
pub mod options;
pub mod setting;

pub use options::Options;
