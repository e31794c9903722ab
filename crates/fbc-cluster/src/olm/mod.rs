//! OLM v1: catalogd and operator-controller as controllers of the cluster.
//!
//! | module | what it holds |
//! |---|---|
//! | [`options`] | which release of OLM runs, with which feature gates, in which namespace |
//! | [`conditions`] | conditions as Kubernetes' own functions keep them |
//! | [`names`] | labels, annotations, finalizers and names of kinds |
//! | [`go_json`] | JSON as Go's encoder writes it, which digests are taken of |
//! | [`operator_controller`] | the engines that apply bundles |
//! | [`revisions`] | the controller of ClusterObjectSets |

pub mod conditions;
pub mod go_json;
pub mod names;
pub mod operator_controller;
pub mod options;
pub mod revisions;

pub use options::{FeatureGates, Options, Target};
