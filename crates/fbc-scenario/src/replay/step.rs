//! What the steps of a recorded scenario do.

use std::collections::BTreeSet;

use fbc_cluster::api::{
    ApiServer, Caller, DeleteOptions, FieldValidation, Patch, Propagation, Subresource, WriteOptions,
};
use fbc_cluster::engine::Cluster;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_kubectl::run::{Failure, failures_text};
use fbc_olm::Options;
use fbc_olm::content::SharedImages;
use fbc_olm::deployments::Deployments;
use fbc_olm::names::{CLUSTER_CATALOG, GROUP, OPERATOR_CONTROLLER};
use fbc_olm::setting;
use serde_json::{Value, json};

use super::content::Content;
use super::differences::{self, Key};
use super::recording::{self, Recording, Step};
use super::{ReplayError, settle};

/// A scenario that is being played.
pub(super) struct Play {
    cluster: Cluster,
    content: Content,
    images: SharedImages,
    options: Options,
}

/// What came of a step besides changes in the cluster.
#[derive(Default)]
struct Answer {
    errors: Vec<String>,
    made: BTreeSet<Key>,
    waits_for_poll: bool,
}

impl Play {
    /// The cluster before the first step.
    pub(super) fn new(recording: &Recording, content: Content, seed: u64) -> Result<Self, ReplayError> {
        let images = SharedImages::default();
        *images.borrow_mut() = content.registry()?;
        let cluster = setting::cluster(&recording.options, recording.is_experimental, &images, seed)
            .map_err(|error| ReplayError::new("scenario.yaml", error.to_string()))?;
        let mut play = Self { cluster, content, images, options: recording.options.clone() };
        for (reference, content) in &recording.pushed {
            play.push(reference, content, "scenario.yaml")?;
        }
        Ok(play)
    }

    /// Plays a step, and says what came of it.
    pub(super) fn step(&mut self, step: &Step) -> Result<Value, ReplayError> {
        let documents = recording::documents(&self.content.fill_in(&step.text), &step.file)?;
        let before = differences::snapshot(&self.cluster.api);
        let mut answer = Answer::default();
        for document in documents {
            self.perform(step, document, &mut answer)?;
        }
        settle::settle(&mut self.cluster, answer.waits_for_poll, &step.file)?;
        let after = differences::snapshot(&self.cluster.api);
        let settled = settle::observed(&self.cluster.api).map(|object| {
            let mut object = Object::clone(object);
            object.remove(&["metadata", "managedFields"]);
            for condition in object.place(&["status", "conditions"]).as_array_mut().into_iter().flatten() {
                let message = mask_uids(condition.text(&["message"]));
                condition.set(&["message"], message);
            }
            object
        });
        Ok(json!({
            "file": step.number,
            "settled": settled.collect::<Vec<Value>>(),
            "objects": differences::differences(&before, &after, &answer.made),
            "errors": answer.errors,
        }))
    }

    fn perform(&mut self, step: &Step, document: Value, answer: &mut Answer) -> Result<(), ReplayError> {
        let api = &mut self.cluster.api;
        match step.verb() {
            "create" => {
                answer.made.insert(differences::key(&document));
                if let Err(error) = create(api, document) {
                    answer.errors.extend(told(Failure::of_source(error, "creating", "STDIN")));
                }
            }
            "patch" | "poke" => {
                if let Err(error) = patch(api, &document) {
                    answer.errors.extend(told(error));
                }
            }
            "delete" => {
                if let Err(error) = delete(api, &document) {
                    answer.errors.extend(told(error));
                }
            }
            "push" => {
                self.push(document.text(&["image"]), document.text(&["content"]), &step.file)?;
                let polls = |catalog: &Object| {
                    catalog.number(&["spec", "source", "image", "pollIntervalMinutes"]).is_some()
                };
                answer.waits_for_poll =
                    self.cluster.api.all(GROUP, CLUSTER_CATALOG).any(|catalog| polls(catalog));
            }
            "deployments" => self.set_deployments(document.text(&["deployments"]) == "available"),
            "gates" => self.restart(document.text(&["featureGates"]), &step.file)?,
            verb => {
                let message = format!(
                    "{verb:?} is not known: create, patch, poke, delete, push, deployments and gates are expected"
                );
                return Err(ReplayError::new(&step.file, message));
            }
        }
        Ok(())
    }

    /// Moves a tag.
    fn push(&mut self, reference: &str, content: &str, file: &str) -> Result<(), ReplayError> {
        let image = self.content.image(content, file)?.clone();
        let pushed = self.images.borrow_mut().push(reference, image);
        pushed.map_err(|error| ReplayError::new(file, error.to_string()))
    }

    /// Lets Deployments become available, or not.
    fn set_deployments(&mut self, are_available: bool) {
        if let Some(deployments) = self.cluster.controller::<Deployments>() {
            deployments.are_available = are_available;
        }
        let all: Vec<ObjectName> =
            self.cluster.api.all("apps", "Deployment").map(|deployment| deployment.object_name()).collect();
        for deployment in all {
            self.cluster.poke("deployments", deployment);
        }
    }

    /// Restarts operator-controller with more gates.
    fn restart(&mut self, gates: &str, file: &str) -> Result<(), ReplayError> {
        recording::set_gates(&mut self.options, gates, file)?;
        self.cluster.remove_controller(OPERATOR_CONTROLLER);
        setting::add_operator_controller(&mut self.cluster, &self.options, &self.images);
        Ok(())
    }
}

/// A text with a placeholder in the place of every uid, as in recordings.
fn mask_uids(text: &str) -> String {
    const LENGTH: usize = 36;
    let is_uid = |text: &str| {
        text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let mut masked = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match rest.get(..LENGTH) {
            Some(uid) if is_uid(uid) => {
                masked.push_str("<uid>");
                rest = rest.get(LENGTH..).unwrap_or_default();
            }
            _ => {
                masked.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    masked
}

fn administrator(verb: &str) -> Caller {
    Caller::administrator(format!("kubectl-{verb}"))
}

fn create(api: &mut ApiServer, object: Object) -> Result<(), ApiError> {
    let options = WriteOptions { validation: FieldValidation::Strict, ..WriteOptions::default() };
    api.create(&administrator("create"), object, options).map(drop)
}

fn target(api: &ApiServer, step: &Value) -> Result<(fbc_cluster::kind::KindId, ObjectName), ApiError> {
    let target = step.at(&["target"]).cloned().unwrap_or_default();
    let (id, kind) = api.kind_of(&target)?;
    let name = target.text(&["name"]);
    let name = match kind.namespaced {
        true => ObjectName::namespaced(target.text(&["namespace"]), name),
        false => ObjectName::cluster(name),
    };
    Ok((id, name))
}

fn patch(api: &mut ApiServer, step: &Value) -> Result<(), ApiError> {
    let (id, name) = target(api, step)?;
    let changes = step.at(&["patch"]).cloned().unwrap_or_default();
    let patch = match step.text(&["type"]) {
        "json" => Patch::Json(changes),
        "strategic" => Patch::Strategic(changes),
        _ => Patch::Merge(changes),
    };
    let (caller, options) = (administrator("patch"), WriteOptions::default());
    match step.text(&["subresource"]) {
        "status" => api.patch(&caller, id, &name, &patch, Subresource::Status, options),
        _ => api.patch(&caller, id, &name, &patch, Subresource::None, options),
    }
    .map(drop)
}

fn delete(api: &mut ApiServer, step: &Value) -> Result<(), ApiError> {
    let (id, name) = target(api, step)?;
    let has = |flag: &str| step.list(&["flags"]).iter().any(|one| one == flag);
    let propagation = if has("--cascade=orphan") {
        Propagation::Orphan
    } else if has("--cascade=foreground") {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    let options = DeleteOptions { propagation, ..DeleteOptions::default() };
    api.delete(&administrator("delete"), id, &name, &options).map(drop)
}

/// The lines that kubectl prints of a refusal.
fn told(refusal: impl Into<Failure>) -> Vec<String> {
    failures_text(&[refusal.into()]).lines().map(str::to_owned).collect()
}
