//! Half a second after its creation the pod of a catalog runs, and the address of its service answers while a pod of it is ready.

use std::collections::BTreeMap;
use std::rc::Rc;

use fbc_cluster::api::{ApiServer, DeleteOptions, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use fbc_olm_v0::content::SharedContent;
use fbc_olm_v0::names::{CATALOG_SOURCE_LABEL, CATALOG_SOURCE_UPDATE};
use serde_json::{Value, json};

use super::{DELAY, SharedModes, caller, mode};

pub(super) struct Pods {
    modes: SharedModes,
    content: SharedContent,
    due: BTreeMap<ObjectName, Moment>,
}

impl Pods {
    pub(super) fn new(modes: &SharedModes, content: &SharedContent) -> Self {
        Self { modes: Rc::clone(modes), content: Rc::clone(content), due: BTreeMap::new() }
    }

    fn status(&self, pod: &Object, now: Moment) -> Value {
        let containers = |field: &str| pod.list(&["spec", field]).to_vec();
        let modes = self.modes.borrow();
        let is_pulled = mode(&modes.pods, pod.name(), "ready") != "pull";
        let content = self.content.borrow();
        let status = |container: &Value| {
            let image = container.text(&["image"]);
            let name = image.rsplit_once(':').map_or(image, |(name, _)| name);
            let digest = content.catalog_image(image).map(|served| served.digest.clone()).unwrap_or_default();
            let id = if digest.is_empty() { String::new() } else { format!("{name}@{digest}") };
            let state = if is_pulled {
                json!({"running": {"startedAt": now.to_string()}})
            } else {
                json!({"waiting": {"reason": "ImagePullBackOff", "message": format!("Back-off pulling image {image:?}")}})
            };
            json!({
                "name": container["name"], "image": image, "imageID": if is_pulled { id } else { String::new() },
                "ready": is_pulled, "started": is_pulled, "restartCount": 0, "state": state,
            })
        };
        let flag = if is_pulled { "True" } else { "False" };
        let conditions: Vec<Value> = ["Initialized", "Ready", "ContainersReady", "PodScheduled"]
            .iter()
            .map(|of| json!({"type": of, "status": flag, "lastTransitionTime": now.to_string()}))
            .collect();
        json!({
            "phase": if is_pulled { "Running" } else { "Pending" },
            "conditions": conditions, "startTime": now.to_string(),
            "initContainerStatuses": containers("initContainers").iter().map(status).collect::<Vec<_>>(),
            "containerStatuses": containers("containers").iter().map(status).collect::<Vec<_>>(),
        })
    }

    fn run(&mut self, request: &ObjectName, before: &Object, api: &mut ApiServer) -> Outcome {
        if before.given(&["status", "containerStatuses"]).is_some() {
            return Outcome::Done;
        }
        let due = *self.due.entry(request.clone()).or_insert(api.now() + DELAY);
        if api.now() < due {
            return Outcome::After(due.since(api.now()));
        }
        self.due.remove(request);
        let mut after = before.clone();
        after["status"] = self.status(before, api.now());
        match api.update(&caller(), after, Subresource::Status, WriteOptions::default()) {
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}

impl Controller for Pods {
    fn name(&self) -> &'static str {
        "stand-in-pods"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Pod")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(pod) = api.find("", "Pod", request).cloned() else {
            self.due.remove(request);
            return Outcome::Done;
        };
        if pod.is_terminating() {
            let Some(id) = api.kind_id("", "Pod") else { return Outcome::Done };
            let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
            let _ = api.delete(&caller(), id, request, &options);
            return Outcome::Done;
        }
        let is_of_catalog =
            [CATALOG_SOURCE_LABEL, CATALOG_SOURCE_UPDATE].iter().any(|key| pod.label(key).is_some());
        if is_of_catalog { self.run(request, &pod, api) } else { Outcome::Done }
    }
}
