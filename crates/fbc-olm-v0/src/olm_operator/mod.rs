//! olm-operator: OperatorGroups, ClusterServiceVersions, and what belongs to them.

use fbc_cluster::engine::Controller;

use crate::Options;

/// The controllers of olm-operator, in the order in which they start.
pub fn controllers(_options: &Options) -> Vec<Box<dyn Controller>> {
    Vec::new()
}
