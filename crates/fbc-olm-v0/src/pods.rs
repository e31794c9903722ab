//! The pods that OLM starts, and what the programs in them do: whoever plays a cluster has nobody else to run them.
//!
//! | program | where it runs | what it does |
//! |---|---|---|
//! | registry | pods of catalogs | answers at the service of the catalog, once its pod is ready ([`crate::catalog_operator`]) |
//! | `opm alpha bundle extract` | pods of unpack Jobs | [`Extractors`] |

use std::rc::Rc;

use fbc_cluster::api::{ApiServer, Caller, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::Value;

use crate::content::SharedContent;
use crate::extraction;
use crate::look_error::{LookError, fail};
use crate::names::{
    BUNDLE_UNPACK_REF, CATALOG_SOURCE_LABEL, CATALOG_SOURCE_UPDATE, CONFIG_MAP_RESOURCE_VERSION, SOURCE_IMAGE,
};

/// What the image of a container holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A catalog.
    Catalog,
    /// A bundle.
    Bundle,
}

/// What the image of a container of a pod holds, if it is content of OLM: its other images hold programs.
#[must_use]
pub fn holds(pod: &Object, container: &Value) -> Option<Holds> {
    let has_label = |label: &str| pod.label(label).is_some();
    let name = container.text(&["name"]);
    if has_label(BUNDLE_UNPACK_REF) {
        return (name == "pull").then_some(Holds::Bundle);
    }
    let is_of_catalog = has_label(CATALOG_SOURCE_LABEL) || has_label(CATALOG_SOURCE_UPDATE);
    // What serves a ConfigMap is a program.
    if !is_of_catalog || has_label(CONFIG_MAP_RESOURCE_VERSION) {
        return None;
    }
    // A catalog that is copied out of its image is served by another one.
    let holder =
        if pod.list(&["spec", "initContainers"]).is_empty() { "registry-server" } else { "extract-content" };
    (name == holder).then_some(Holds::Catalog)
}

/// Plays `opm alpha bundle extract` in the pods of unpack Jobs: it writes the bundle into the ConfigMap of the Job, with the rights
/// of the pod's service account.
pub struct Extractors {
    content: SharedContent,
}

impl Extractors {
    /// Those who extract this content.
    #[must_use]
    pub fn new(content: &SharedContent) -> Self {
        Self { content: Rc::clone(content) }
    }

    fn extract(&self, pod: &Object, api: &mut ApiServer) -> Result<(), LookError> {
        let mut init = pod.list(&["spec", "initContainers"]).iter();
        let holder = init.find(|container| holds(pod, container) == Some(Holds::Bundle));
        let image = holder.map(|container| container.text(&["image"])).unwrap_or_default();
        let name = pod.label(BUNDLE_UNPACK_REF).unwrap_or_default();
        let name = ObjectName::namespaced(pod.namespace(), name);
        let Some(map) = api.find("", "ConfigMap", &name) else {
            return fail(format!("configmaps {:?} not found", name.name));
        };
        let is_filled = map.annotation(SOURCE_IMAGE) == Some(image) && map.get("binaryData").is_some();
        if is_filled {
            return Ok(());
        }
        let mut map = Object::clone(map);
        let files = self.content.borrow().bundle(image).cloned();
        let files = files.ok_or_else(|| format!("nothing was pulled for {image}"))?;
        extraction::fill(&mut map, files.as_ref(), image).map_err(|error| error.to_string())?;
        let account = match pod.text(&["spec", "serviceAccountName"]) {
            "" => "default",
            account => account,
        };
        let opm = Caller::service_account(pod.namespace(), account, "opm");
        let written = api.update(&opm, map, Subresource::None, WriteOptions::default());
        written.map(drop).map_err(|error| error.message.into())
    }
}

/// Whether a container has begun.
fn has_begun(pod: &Object, name: &str) -> bool {
    let mut statuses = pod.list(&["status", "containerStatuses"]).iter();
    let status = statuses.find(|status| status.text(&["name"]) == name);
    status.is_some_and(|status| status.at(&["state", "running"]).is_some())
}

impl Controller for Extractors {
    fn name(&self) -> &'static str {
        "bundle-extractors"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let pod = change.after.as_deref().filter(|pod| pod.label(BUNDLE_UNPACK_REF).is_some());
        requests.extend(pod.map(|_| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(pod) = api.find("", "Pod", request).cloned() else { return Outcome::Done };
        if !has_begun(&pod, "extract") {
            return Outcome::Done;
        }
        match self.extract(&pod, api) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.into()),
        }
    }
}
