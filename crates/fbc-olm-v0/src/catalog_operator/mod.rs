//! catalog-operator: CatalogSources, Subscriptions, unpacking of bundles, InstallPlans.

use fbc_cluster::engine::{Cluster, Controller};
use fbc_cluster::object::ObjectFields;

use crate::Options;
use crate::content::SharedContent;
use crate::names::{CATALOG_SOURCE, GROUP};

/// The controllers of catalog-operator, in the order in which they start.
pub fn controllers(_options: &Options, _content: &SharedContent) -> Vec<Box<dyn Controller>> {
    Vec::new()
}

/// Tells catalog-operator that what is served is not what it was: connections break, and are made again.
pub fn content_changed(cluster: &mut Cluster) {
    let catalogs: Vec<_> = cluster.api.all(GROUP, CATALOG_SOURCE).map(|one| one.object_name()).collect();
    for catalog in catalogs {
        cluster.poke("catalog-sources", catalog);
    }
}
