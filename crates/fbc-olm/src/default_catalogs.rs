//! The catalogs that every cluster of OpenShift starts with: after an update to another minor version their images have the
//! tag of that version.
//!
//! The operator of OLM brings them along. The real one also makes those that are missing, and puts back what others change in
//! the fields that it knows; here a catalog with another image is one that a scenario or a user means, and stays as it is.
//!
//! Sources: section 4.2.1 of the product document (D-CAT-2) and 4.3.2 (D-CAT-4);
//! `openshift/cluster-olm-operator:pkg/controller/dynamicrequiredmanifest_controller.go`.

use serde_json::json;

use fbc_cluster::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{ObjectFields, ObjectName};
use fbc_cluster::store::Change;

use super::cluster_operator::{CONFIG_GROUP, OPERATOR, release_of, reported_version};
use super::names::{CLUSTER_CATALOG, GROUP};

/// Names of the catalogs and the repositories of their images.
const CATALOGS: [(&str, &str); 4] = [
    ("openshift-redhat-operators", "registry.redhat.io/redhat/redhat-operator-index"),
    ("openshift-certified-operators", "registry.redhat.io/redhat/certified-operator-index"),
    ("openshift-redhat-marketplace", "registry.redhat.io/redhat/redhat-marketplace-index"),
    ("openshift-community-operators", "registry.redhat.io/redhat/community-operator-index"),
];

/// The image of a default catalog for a minor version such as `4.19`; nothing for other catalogs.
pub fn image(name: &str, minor: &str) -> Option<String> {
    let (_, repository) = CATALOGS.iter().find(|(known, _)| *known == name)?;
    Some(format!("{repository}:v{minor}"))
}

/// The repository of an image whose tag is a minor version.
fn repository(image: &str) -> Option<&str> {
    image.rsplit_once(":v").map(|(repository, _)| repository)
}

/// The controller.
#[derive(Debug)]
pub struct DefaultCatalogs {
    caller: Caller,
}

impl Default for DefaultCatalogs {
    fn default() -> Self {
        Self { caller: Caller::administrator("cluster-olm-operator") }
    }
}

impl Controller for DefaultCatalogs {
    fn name(&self) -> &'static str {
        "default-catalogs"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(CONFIG_GROUP, "ClusterOperator"), (GROUP, CLUSTER_CATALOG)]
    }

    fn requests(
        &mut self,
        change: &Change,
        (group, _): (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if group == GROUP {
            requests.push(name.clone());
        } else if name.name == OPERATOR {
            requests.extend(CATALOGS.map(|(catalog, _)| ObjectName::cluster(catalog)));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let operator = api.find(CONFIG_GROUP, "ClusterOperator", &ObjectName::cluster(OPERATOR));
        let minor = operator.and_then(|operator| release_of(&reported_version(operator)?));
        let wanted = minor.and_then(|minor| image(&request.name, &minor.to_string()));
        let present = api.find(GROUP, CLUSTER_CATALOG, request);
        let (Some(wanted), Some(catalog), Some(id)) = (wanted, present, api.kind_id(GROUP, CLUSTER_CATALOG))
        else {
            return Outcome::Done;
        };
        let present = catalog.text(&["spec", "source", "image", "ref"]);
        if present == wanted || repository(present) != repository(&wanted) {
            return Outcome::Done;
        }
        let patch = Patch::Merge(json!({"spec": {"source": {"type": "Image", "image": {"ref": wanted}}}}));
        let options = WriteOptions::default();
        match api.patch(&self.caller, id, request, &patch, Subresource::None, options) {
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(error.message),
        }
    }
}
