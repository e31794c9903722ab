//! package-server: PackageManifests, worked out of what catalogs serve.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/package-server`.

mod manifest;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{Aggregated, ApiServer};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::kind::Kind;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;

use crate::Options;
use crate::content::SharedContent;
use crate::names::{CATALOG_SOURCE, GROUP};

/// The API group of PackageManifests.
pub const PACKAGES_GROUP: &str = "packages.operators.coreos.com";
/// The kind.
pub const PACKAGE_MANIFEST: &str = "PackageManifest";

/// Keeps PackageManifests.
pub struct PackageServer {
    options: Options,
    content: SharedContent,
}

impl PackageServer {
    /// A server for what catalogs serve.
    pub fn new(options: &Options, content: &SharedContent) -> Self {
        Self { options: options.clone(), content: Rc::clone(content) }
    }

    /// The packages of all catalogs that are connected.
    ///
    /// Shows V0-118 to V0-121.
    fn manifests(&self, api: &ApiServer) -> Vec<Arc<Object>> {
        let content = self.content.borrow();
        let ready = api
            .all(GROUP, CATALOG_SOURCE)
            .filter(|catalog| catalog.text(&["status", "connectionState", "lastObservedState"]) == "READY");
        ready
            .filter_map(|catalog| {
                let served = content.at(catalog.text(&["status", "connectionState", "address"]))?;
                Some(manifest::of_catalog(catalog, &served.catalog))
            })
            .flatten()
            .map(Arc::new)
            .collect()
    }
}

/// The kind as the API server passes it on.
fn kind() -> Kind {
    Kind {
        group: PACKAGES_GROUP.to_owned(),
        versions: vec!["v1".to_owned()],
        kind: PACKAGE_MANIFEST.to_owned(),
        plural: "packagemanifests".to_owned(),
        singular: "packagemanifest".to_owned(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: true,
        has_status: true,
        has_generation: false,
    }
}

impl Controller for PackageServer {
    fn name(&self) -> &'static str {
        "package-server"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, CATALOG_SOURCE)]
    }

    fn requests(
        &mut self,
        _change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.push(ObjectName::cluster(PACKAGE_MANIFEST));
    }

    fn reconcile(&mut self, _request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let objects = self.manifests(api);
        api.aggregate(kind(), Aggregated { objects, everywhere: self.options.catalogs_namespace.clone() });
        Outcome::Done
    }
}
