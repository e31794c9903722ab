//! Half a second after its creation a Job that unpacks a bundle has done so, or has failed; five minutes later it goes.

use std::collections::BTreeMap;
use std::rc::Rc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName, controller_reference};
use fbc_cluster::time::{Moment, SECOND};
use fbc_olm_v0::content::SharedContent;
use fbc_olm_v0::extraction;
use fbc_olm_v0::look_error::LookError;
use fbc_olm_v0::names::BUNDLE_UNPACK_REF;
use serde_json::{Value, json};

use super::{DELAY, SharedModes, caller, mode};

pub(super) struct Jobs {
    modes: SharedModes,
    content: SharedContent,
    due: BTreeMap<ObjectName, Moment>,
}

impl Jobs {
    pub(super) fn new(modes: &SharedModes, content: &SharedContent) -> Self {
        Self { modes: Rc::clone(modes), content: Rc::clone(content), due: BTreeMap::new() }
    }

    /// Puts the bundle into the ConfigMap.
    fn extract(&self, job: &Object, api: &mut ApiServer) -> Result<(), LookError> {
        let image = image(job);
        let name = job.label(BUNDLE_UNPACK_REF).unwrap_or_default();
        let name = ObjectName::namespaced(job.namespace(), name);
        let map = api.find("", "ConfigMap", &name).ok_or("no ConfigMap")?;
        let mut map = Object::clone(map);
        let files = self.content.borrow().bundle(image).cloned().ok_or(format!("no image {image}"))?;
        extraction::fill(&mut map, files.as_ref(), image)
            .map_err(|error| LookError::from(error.to_string()))?;
        let opm = Caller::administrator("opm");
        let written = api.update(&opm, map, Subresource::None, WriteOptions::default());
        written.map(drop).map_err(|error| error.message.into())
    }

    fn play(&mut self, job: &Object, api: &mut ApiServer) -> Result<(), LookError> {
        let mode = mode(&self.modes.borrow().jobs, image(job), "complete").to_owned();
        let (condition, reason, message) = match mode.as_str() {
            "complete" => {
                self.extract(job, api)?;
                ("Complete", "CompletionsReached", "Reached expected number of succeeded pods")
            }
            "fail" => ("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"),
            "deadline" => ("Failed", "DeadlineExceeded", "Job was active longer than specified deadline"),
            "pull" => return pull(job, api),
            _ => return Ok(()),
        };
        let now = api.now().to_string();
        let before = if condition == "Complete" { "SuccessCriteriaMet" } else { "FailureTarget" };
        let conditions: Vec<Value> = [before, condition]
            .iter()
            .map(|of| {
                json!({
                    "type": of, "status": "True", "reason": reason, "message": message, "lastProbeTime": now,
                    "lastTransitionTime": now,
                })
            })
            .collect();
        let mut after = job.clone();
        after["status"] = json!({"conditions": conditions, "startTime": now});
        if condition == "Complete" {
            after.set(&["status", "completionTime"], now);
            after.set(&["status", "succeeded"], 1);
        } else {
            after.set(&["status", "failed"], 1);
        }
        let written = api.update(&caller(), after, Subresource::Status, WriteOptions::default());
        written.map(drop).map_err(|error| error.message.into())
    }
}

/// The image that a Job unpacks.
fn image(job: &Object) -> &str {
    let containers = job.list(&["spec", "template", "spec", "initContainers"]).iter();
    let mut pulled = containers.filter(|container| container.text(&["name"]) == "pull");
    pulled.next().map(|container| container.text(&["image"])).unwrap_or_default()
}

/// A pod that waits for its image.
fn pull(job: &Object, api: &mut ApiServer) -> Result<(), LookError> {
    let name = ObjectName::namespaced(job.namespace(), format!("{}-pod", job.name()));
    if api.find("", "Pod", &name).is_some() {
        return Ok(());
    }
    let image = image(job);
    let mut owner = controller_reference(job);
    owner.remove(&["blockOwnerDeletion"]);
    let containers = |field: &str| -> Vec<Value> {
        let all = job.list(&["spec", "template", "spec", field]).iter();
        all.map(|one| json!({"name": one["name"], "image": one["image"]})).collect()
    };
    let labels = job["spec"]["template"]["metadata"]["labels"].clone();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name.name, "namespace": name.namespace, "labels": labels,
            "ownerReferences": [owner],
        },
        "spec": {
            "initContainers": containers("initContainers"), "containers": containers("containers"),
            "serviceAccountName": "default", "restartPolicy": "Never", "automountServiceAccountToken": false,
        },
    });
    let made = api.create(&caller(), pod, WriteOptions::default()).map_err(|error| error.message)?;
    let mut pod = Object::clone(&made);
    let waiting = |name: &str, reason: &str| {
        json!({
            "name": name, "image": image, "imageID": "", "ready": false, "restartCount": 0,
            "state": {"waiting": {"reason": reason, "message": format!("Back-off pulling image {image:?}")}},
        })
    };
    pod["status"] = json!({
        "phase": "Pending",
        "initContainerStatuses": [waiting("pull", "ImagePullBackOff")],
    });
    let written = api.update(&caller(), pod, Subresource::Status, WriteOptions::default());
    written.map(drop).map_err(|error| error.message.into())
}

/// When a Job that is over goes.
fn end(job: &Object) -> Option<Moment> {
    let seconds = job.number(&["spec", "ttlSecondsAfterFinished"])?.unsigned_abs();
    let over = job.list(&["status", "conditions"]).iter();
    let mut over = over.filter(|one| ["Complete", "Failed"].contains(&one.text(&["type"])));
    Some(Moment::parse(over.next()?.text(&["lastTransitionTime"]))? + seconds * SECOND)
}

impl Controller for Jobs {
    fn name(&self) -> &'static str {
        "stand-in-jobs"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("batch", "Job")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(job) = api.find("batch", "Job", request).cloned() else {
            self.due.remove(request);
            return Outcome::Done;
        };
        if let Some(end) = end(&job) {
            if api.now() < end {
                return Outcome::Routinely(end.since(api.now()));
            }
            let Some(id) = api.kind_id("batch", "Job") else { return Outcome::Done };
            let _ = api.delete(&caller(), id, request, &DeleteOptions::default());
            return Outcome::Done;
        }
        let due = *self.due.entry(request.clone()).or_insert(api.now() + DELAY);
        if api.now() < due {
            return Outcome::After(due.since(api.now()));
        }
        self.due.remove(request);
        match self.play(&job, api) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}
