//! catalogd's service: the object by which clients find it, and what it serves under a name.
//!
//! Source: `operator-framework/operator-controller:helm/olmv1/templates/service-olmv1-system-catalogd-service.yml`.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use crate::Options;
use crate::content::{Image, Images};
use crate::names::{CLUSTER_CATALOG, GROUP};

/// The name of the service.
pub const SERVICE: &str = "catalogd-service";
/// The name of the port at which it answers.
pub const PORT: &str = "https";

/// The Service.
pub fn service(options: &Options) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "name": SERVICE, "namespace": options.catalogd_namespace,
            "labels": {"app.kubernetes.io/name": "catalogd", "app.kubernetes.io/part-of": "olm"},
        },
        "spec": {
            "ports": [
                {"name": PORT, "port": 443, "protocol": "TCP", "targetPort": 8443},
                {"name": "webhook", "port": 9443, "protocol": "TCP", "targetPort": 9443},
                {"name": "metrics", "port": 7443, "protocol": "TCP", "targetPort": 7443},
            ],
            "selector": {"app.kubernetes.io/name": "catalogd"},
        },
    })
}

/// What is served under the name of a catalog.
#[derive(Debug, Clone)]
pub struct Served {
    /// The image with its digest.
    pub canonical: String,
    /// The image.
    pub image: Arc<Image>,
    /// When it was unpacked, in whole seconds.
    pub unpacked_at: Moment,
}

/// What catalogd serves under a name. Its status says so, also while newer content cannot be unpacked.
/// What was unpacked is here, so that no registry is asked.
pub fn served(api: &ApiServer, images: &Images, name: &str) -> Option<Served> {
    let catalog = api.find(GROUP, CLUSTER_CATALOG, &ObjectName::cluster(name))?;
    let canonical = catalog.text(&["status", "resolvedSource", "image", "ref"]);
    let unpacked_at = Moment::parse(catalog.text(&["status", "lastUnpacked"]))?;
    let pulled = images.pulled(canonical)?;
    Some(Served { canonical: canonical.to_owned(), image: pulled.image, unpacked_at })
}
