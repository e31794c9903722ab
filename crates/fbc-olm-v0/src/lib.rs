//! OLM v0: catalog-operator and olm-operator as controllers of the cluster.
//!
//! | module | what it holds |
//! |---|---|
//! | [`options`] | which release of OLM runs, in which namespace, with which images |
//! | [`accounts`] | service accounts that OperatorGroups name, for both operators |
//! | [`client`], [`retries`] | how controllers write, and how often failures come again |
//! | [`content`] | what catalogs serve, and the images of catalogs and bundles |
//! | [`extraction`] | bundles in ConfigMaps |
//! | [`go_json`] | objects as Go writes them, and hashes of that |
//! | [`pods`] | the pods that OLM starts, and what the programs in them do |
//! | [`look_error`] | why a look at an object failed |
//! | [`names`] | labels, annotations, finalizers, groups and kinds |
//! | [`definitions`] | the custom resource definitions |
//! | [`setting`] | a cluster with OLM installed and nothing else |
//! | [`catalog_operator`] | CatalogSources, Subscriptions, unpacking of bundles, InstallPlans |
//! | [`package_server`] | PackageManifests |
//! | [`olm_operator`] | OperatorGroups, ClusterServiceVersions, and what belongs to them |
//!
//! To add OLM v0 to a cluster: [`definitions::definitions`], then the objects of [`setting::base_objects`], then the controllers
//! of both operators. Who changes what is served says so with [`catalog_operator::content_changed`].

pub mod accounts;
pub mod catalog_operator;
pub mod client;
pub mod content;
pub mod definitions;
pub mod extraction;
pub mod go_json;
pub mod look_error;
pub mod names;
pub mod olm_operator;
pub mod options;
pub mod package_server;
pub mod pods;
pub mod retries;
pub mod setting;

pub use options::Options;
