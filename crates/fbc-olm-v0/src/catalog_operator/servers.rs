//! What the pods of catalogs serve: whoever asks the service of a catalog gets what lies in the image of a pod that is ready.
//!
//! This is no part of catalog-operator: it stands for the programs in those pods.

use std::rc::Rc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome, Requeue};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;

use super::catalogs::CATALOGS;
use super::registry::service_name;
use crate::content::SharedContent;
use crate::names::CATALOG_SOURCE_LABEL;

/// Lets pods serve.
pub(super) struct Servers {
    content: SharedContent,
    requeues: Vec<Requeue>,
}

impl Servers {
    pub(super) fn new(content: &SharedContent) -> Self {
        Self { content: Rc::clone(content), requeues: Vec::new() }
    }
}

/// The image that holds the catalog, and its digest as far as it is known.
fn image(pod: &Object) -> (&str, &str) {
    let containers = match pod.list(&["spec", "initContainers"]) {
        [_, content] => ([content], "initContainerStatuses", 1),
        _ => (
            [pod.list(&["spec", "containers"]).first().unwrap_or(&serde_json::Value::Null)],
            "containerStatuses",
            0,
        ),
    };
    let ([container], statuses, index) = containers;
    let id = pod.list(&["status", statuses]).get(index).map(|status| status.text(&["imageID"]));
    (container.text(&["image"]), id.and_then(|id| id.split_once('@')).map_or("", |(_, digest)| digest))
}

impl Controller for Servers {
    fn name(&self) -> &'static str {
        "registry-servers"
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
        for pod in [&change.before, &change.after].into_iter().flatten() {
            let catalog = pod.label(CATALOG_SOURCE_LABEL).filter(|catalog| !catalog.is_empty());
            requests.extend(catalog.map(|catalog| ObjectName::namespaced(pod.namespace(), catalog)));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(id) = api.kind_id("", "Pod") else { return Outcome::Done };
        let address = format!("{}.{}.svc:50051", service_name(&request.name), request.namespace);
        let mut pods = api.store().with_label_in(id, &request.namespace, CATALOG_SOURCE_LABEL, &request.name);
        let ready = pods.find(|pod| !pod.is_terminating() && pod.condition_status("Ready") == "True");
        let mut content = self.content.borrow_mut();
        let before = content.at(&address).map(|served| served.number);
        let served = ready.and_then(|pod| {
            let (image, digest) = image(pod);
            content.catalog_of(image, digest).cloned()
        });
        let after = served.as_ref().map(|served| served.number);
        if before != after {
            content.set(&address, served);
            self.requeues.push(Requeue::now(CATALOGS, request.clone()));
        }
        Outcome::Done
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }
}
