//! Applying one manifest: creating, merging, deleting.
//!
//! Sources: `openshift/cluster-version-operator:lib/resourceapply`, `lib/resourcemerge`, `lib/resourcedelete`,
//! `pkg/cvo/internal/generic.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Subresource, WriteOptions};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::update_error::{UpdateError, of_task};
use super::wait::{self, WaitError};
use super::{GROUP, VERSION};
use crate::release::{Manifest, Mode};

const CREATE_ONLY: &str = "release.openshift.io/create-only";
const DELETE: &str = "release.openshift.io/delete";

/// Groups whose objects the operator knows by type; all others are custom resources to it.
const TYPED: [&str; 9] = [
    "",
    "apps",
    "batch",
    "rbac.authorization.k8s.io",
    "apiextensions.k8s.io",
    "admissionregistration.k8s.io",
    "image.openshift.io",
    "security.openshift.io",
    "operators.coreos.com",
];

/// Objects that the operator asked to be deleted, by what users call them. True once they are gone.
pub(super) type Deletions = BTreeMap<String, bool>;

/// Why a manifest could not be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ApplyError {
    /// The task ends.
    Final(Box<UpdateError>),
    /// The task is tried again; without an answer of the API server if it is something else that fails.
    Retry(Option<ApiError>),
}

impl ApplyError {
    /// The error of a task that gives up.
    pub(super) fn given_up(self, task: &str) -> UpdateError {
        match self {
            Self::Final(error) => *error,
            Self::Retry(error) => of_task(task, error.as_ref()),
        }
    }
}

impl From<ApiError> for ApplyError {
    fn from(error: ApiError) -> Self {
        Self::Retry(Some(error))
    }
}

pub(super) fn caller() -> Caller {
    Caller::administrator("cluster-version-operator")
}

/// Applies a manifest and waits for what comes of it, as far as the operator does.
pub(super) fn apply(
    api: &mut ApiServer,
    manifest: &Manifest,
    mode: Mode,
    deletions: &mut Deletions,
) -> Result<(), ApplyError> {
    let mut wanted = Object::clone(&manifest.object);
    own(api, &mut wanted);
    if manifest.is_cluster_operator() {
        return cluster_operator(api, &wanted, mode);
    }
    let (id, _) = api.kind_of(&wanted)?;
    let name = wanted.object_name();
    let present = api.get(&caller(), id, &name);
    if let Some(value) = wanted.annotation(DELETE) {
        if value != "true" {
            return Err(ApplyError::Retry(None));
        }
        let key = format!("{} {:?}", wanted.kind().to_lowercase(), name.to_string());
        return match (present, deletions.get(&key)) {
            (Err(error), _) if error.is_not_found() => {
                deletions.insert(key, true);
                Ok(())
            }
            (Err(error), _) => Err(error.into()),
            (Ok(_), None) if mode == Mode::Updating => {
                api.delete(&caller(), id, &name, &DeleteOptions::default())?;
                deletions.insert(key, false);
                Ok(())
            }
            (Ok(_), _) => Ok(()),
        };
    }
    let live = match present {
        Err(error) if error.is_not_found() => {
            wanted.remove(&["status"]);
            api.create(&caller(), wanted, WriteOptions::default())?
        }
        Err(error) => return Err(error.into()),
        Ok(present) if wanted.annotation(CREATE_ONLY) == Some("true") => present,
        Ok(present) => {
            let is_typed = TYPED.contains(&manifest.group.as_str());
            let merged =
                if is_typed { merge_typed(&present, &wanted) } else { merge_custom(&present, &wanted) };
            match merged {
                Some(object) => api.update(&caller(), object, Subresource::None, WriteOptions::default())?,
                None => present,
            }
        }
    };
    wait::object(&live, mode).map_err(|error| match error {
        WaitError::Final(error) => ApplyError::Final(error),
        WaitError::Retry(_) => ApplyError::Retry(None),
    })
}

/// Makes a ClusterOperator that is not there, so that whoever looks after the cluster sees what is to come.
pub(super) fn precreate(api: &mut ApiServer, manifest: &Object) {
    let mut wanted = manifest.clone();
    own(api, &mut wanted);
    let related = wanted.at(&["status", "relatedObjects"]).cloned();
    if wanted.get("spec").is_none() {
        wanted.set(&["spec"], json!({}));
    }
    let Ok(created) = api.create(&caller(), wanted, WriteOptions::default()) else { return };
    let mut object = Object::clone(&created);
    let mut status = json!({"extension": null});
    if let Some(related) = related {
        status.set(&["relatedObjects"], related);
    }
    object.set(&["status"], status);
    // The operator writes its status whole, whatever became of this.
    let _ = api.update(&caller(), object, Subresource::Status, WriteOptions::default());
}

fn cluster_operator(api: &mut ApiServer, wanted: &Object, mode: Mode) -> Result<(), ApplyError> {
    // An empty list of versions is told before anything is read.
    if wanted.list(&["status", "versions"]).is_empty() {
        return wait::operator(wanted, &Value::Null, mode).map_err(ApplyError::Final);
    }
    let name = wanted.object_name();
    let Some(live) = api.find(GROUP, "ClusterOperator", &name).cloned() else {
        return Err(ApiError::not_found(GROUP, "clusteroperators", &name.name).into());
    };
    if matches!(mode, Mode::Reconciling { .. }) {
        let mut object = Object::clone(&live);
        merge_metadata(&mut object, wanted);
        if object != *live {
            api.update(&caller(), object, Subresource::None, WriteOptions::default())?;
        }
    }
    wait::operator(wanted, &live, mode).map_err(ApplyError::Final)
}

/// Sets the owner: ClusterVersion, unless the manifest names others.
fn own(api: &ApiServer, wanted: &mut Object) {
    let others: Vec<Value> =
        wanted.owner_references().iter().filter(|owner| owner["kind"] != "ClusterVersion").cloned().collect();
    if !others.is_empty() {
        wanted.set(&["metadata", "ownerReferences"], others);
        return;
    }
    let name = fbc_cluster::object::ObjectName::cluster(VERSION);
    let uid =
        api.find(GROUP, "ClusterVersion", &name).map(|version| version.uid().to_owned()).unwrap_or_default();
    let mut owner = json!({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "name": VERSION, "uid": uid});
    if wanted.annotation(CREATE_ONLY) != Some("true") {
        owner.set(&["controller"], true);
    }
    wanted.set(&["metadata", "ownerReferences"], json!([owner]));
}

/// Labels and annotations are added; owners of the manifest are among the owners.
fn merge_metadata(object: &mut Object, wanted: &Object) {
    for field in ["labels", "annotations"] {
        for (key, value) in wanted.at(&["metadata", field]).and_then(Value::as_object).into_iter().flatten() {
            object.set(&["metadata", field, key], value.clone());
        }
    }
    let mut owners = object.owner_references().to_vec();
    for owner in wanted.owner_references() {
        match owners.iter_mut().find(|one| one["uid"] == owner["uid"]) {
            Some(one) => *one = owner.clone(),
            None => owners.push(owner.clone()),
        }
    }
    object.set(&["metadata", "ownerReferences"], owners);
}

/// What the manifest says is put into what is there; nothing else changes.
fn merge_typed(present: &Arc<Object>, wanted: &Object) -> Option<Object> {
    let mut object = Object::clone(present);
    merge_metadata(&mut object, wanted);
    let is_content =
        |field: &&String| !["metadata", "status", "apiVersion", "kind"].contains(&field.as_str());
    for (field, value) in wanted.as_object().into_iter().flatten().filter(|(field, _)| is_content(field)) {
        match object.get_mut(field) {
            Some(place) => merge(place, value),
            None => object.set(&[field], value.clone()),
        }
    }
    (object != **present).then_some(object)
}

/// Maps are merged; lists of named things are merged by name, and other lists replaced.
fn merge(place: &mut Value, wanted: &Value) {
    match (place, wanted) {
        (Value::Object(place), Value::Object(wanted)) => {
            for (key, value) in wanted {
                match place.get_mut(key) {
                    Some(member) => merge(member, value),
                    None => {
                        place.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(place), Value::Array(wanted)) => {
            let merged = wanted.iter().enumerate().map(|(index, item)| {
                let named = item.given(&["name"]);
                let before = match named {
                    Some(name) => place.iter().find(|one| one.get("name") == Some(name)),
                    None => place.get(index).filter(|_| place.len() == wanted.len() && item.is_object()),
                };
                let mut merged = before.cloned().unwrap_or(Value::Null);
                merge(&mut merged, item);
                merged
            });
            *place = merged.collect();
        }
        (place, wanted) => *place = wanted.clone(),
    }
}

/// Custom resources are replaced by what the manifest says, if anything but their metadata differs.
fn merge_custom(present: &Arc<Object>, wanted: &Object) -> Option<Object> {
    let is_content =
        |field: &&String| !["metadata", "status", "apiVersion", "kind"].contains(&field.as_str());
    let content = |object: &Object| -> BTreeMap<String, Value> {
        let members = object.as_object().into_iter().flatten();
        members
            .filter(|(field, _)| is_content(field))
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect()
    };
    let wanted_content = content(wanted);
    if content(present) == wanted_content {
        return None;
    }
    let mut object = Object::clone(present);
    for (field, value) in wanted_content {
        object.set(&[&field], value);
    }
    for field in ["labels", "annotations", "ownerReferences"] {
        match wanted.at(&["metadata", field]) {
            Some(value) => object.set(&["metadata", field], value.clone()),
            None => {
                object.remove(&["metadata", field]);
            }
        }
    }
    Some(object)
}
