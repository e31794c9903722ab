//! The garbage collector: objects go with their owners, before them, or are let go of.
//!
//! Requests are uids, since owners are named by uid. Every question is answered by an index: who is owned by a uid,
//! who has a uid. Source: `kubernetes/kubernetes:pkg/controller/garbagecollector/{garbagecollector,graph_builder}.go`.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};

use super::write::{manager, outcome};
use crate::api::{
    ApiServer, DeleteOptions, FOREGROUND, ORPHAN, Patch, Propagation, Subresource, WriteOptions,
};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::kind::GroupVersionKind;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::{Change, ObjectKey};
use crate::time::{Milliseconds, SECOND};

/// How often an owner of a kind that is not served is looked up again: so often the collector asks which kinds
/// there are.
const LOOK_FOR_KINDS: Milliseconds = 30 * SECOND;
/// So many owners that went away are remembered for dependents whose kind of owner is no longer served.
const REMEMBERED_OWNERS: usize = 500;

/// Collects objects without owners.
#[derive(Debug, Default)]
pub struct GarbageCollector {
    gone: VecDeque<String>,
}

impl Controller for GarbageCollector {
    fn name(&self) -> &'static str {
        "garbage-collector"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("*", "*")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let (before, after) = (change.before.as_deref(), change.after.as_deref());
        let Some(object) = after.or(before) else { return };
        let began = |finalizer| waits(after, finalizer) && !waits(before, finalizer);
        if after.is_none() || began(FOREGROUND) {
            let mut dependents = api.store().owned_by(object.uid()).peekable();
            if after.is_none() && dependents.peek().is_some() {
                self.remember(object.uid());
            }
            requests.extend(dependents.map(|(_, dependent)| ObjectName::cluster(dependent.uid())));
        }
        let owners_changed = references(before) != references(after);
        let is_new = before.is_none() && !object.owner_references().is_empty();
        if after.is_some() && (is_new || owners_changed || began(FOREGROUND) || began(ORPHAN)) {
            requests.push(ObjectName::cluster(object.uid()));
        }
        if before.is_some() && (after.is_none() || owners_changed) {
            let owners = references(before).iter().filter_map(|reference| api.owner(reference));
            let waiting = owners.filter(|owner| waits(Some(owner), FOREGROUND));
            requests.extend(waiting.map(|owner| ObjectName::cluster(owner.uid())));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some((key, object)) = api.store().by_uid(&request.name) else { return Outcome::Done };
        let (key, object) = (key.clone(), Arc::clone(object));
        if waits(Some(&object), ORPHAN) {
            return match orphan_dependents(api, &key, &object) {
                Ok(true) => Outcome::Done,
                Ok(false) => Outcome::After(0),
                Err(error) => outcome(Err::<(), _>(error)),
            };
        }
        if waits(Some(&object), FOREGROUND) {
            return outcome(finish_foreground(api, &key, &object));
        }
        if object.is_terminating() {
            return Outcome::Done;
        }
        self.collect(api, &key, &object)
    }
}

/// What has become of the owners of an object.
#[derive(Default)]
struct Owners {
    /// They are there.
    solid: usize,
    /// They are gone, or never were.
    dangling: Vec<String>,
    /// They go once the objects that they own are gone.
    waiting: Vec<String>,
    /// Nobody can tell as long as their kind is not served.
    unknown: usize,
}

impl GarbageCollector {
    fn remember(&mut self, uid: &str) {
        if self.gone.len() == REMEMBERED_OWNERS {
            self.gone.pop_front();
        }
        self.gone.push_back(uid.to_owned());
    }

    /// Deletes an object without any owner left, or drops the references to those that are gone.
    fn collect(&self, api: &mut ApiServer, key: &ObjectKey, object: &Object) -> Outcome {
        if object.owner_references().is_empty() {
            return Outcome::Done;
        }
        let owners = self.owners(api, object);
        if owners.unknown > 0 {
            return Outcome::Routinely(LOOK_FOR_KINDS);
        }
        if owners.solid > 0 {
            let mut superfluous = owners.dangling;
            superfluous.extend(owners.waiting);
            return outcome(drop_owners(api, key, object, &superfluous));
        }
        let has_dependents = api.store().owned_by(object.uid()).next().is_some();
        let propagation = if !owners.waiting.is_empty() && has_dependents {
            if let Err(error) = unblock_circle(api, key, object) {
                return outcome(Err::<(), _>(error));
            }
            Propagation::Foreground
        } else if object.finalizers().any(|finalizer| finalizer == ORPHAN) {
            Propagation::Orphan
        } else if object.finalizers().any(|finalizer| finalizer == FOREGROUND) {
            Propagation::Foreground
        } else {
            Propagation::Background
        };
        let options =
            DeleteOptions { propagation, uid: Some(object.uid().to_owned()), ..DeleteOptions::default() };
        outcome(api.delete(&manager(), key.kind, &key.name, &options))
    }

    fn owners(&self, api: &ApiServer, object: &Object) -> Owners {
        let mut owners = Owners::default();
        for reference in object.owner_references() {
            let uid = reference.text(&["uid"]);
            if self.gone.iter().any(|gone| gone == uid) {
                owners.dangling.push(uid.to_owned());
                continue;
            }
            let name = GroupVersionKind::of(reference.text(&["apiVersion"]), reference.text(&["kind"]));
            let Some((id, kind)) = api.registry().served(&name) else {
                owners.unknown += 1;
                continue;
            };
            if kind.namespaced && object.namespace().is_empty() {
                // An owner in a namespace cannot own an object of the cluster: such a reference is never followed.
                owners.solid += 1;
                continue;
            }
            let namespace = if kind.namespaced { object.namespace() } else { "" };
            let name = ObjectName::namespaced(namespace, reference.text(&["name"]));
            match api.store().get(id, &name).filter(|owner| owner.uid() == uid) {
                None => owners.dangling.push(uid.to_owned()),
                Some(owner) if waits(Some(owner), FOREGROUND) => owners.waiting.push(uid.to_owned()),
                Some(_) => owners.solid += 1,
            }
        }
        owners
    }
}

/// True if an object is on its way out and this finalizer holds it.
fn waits(object: Option<&Object>, finalizer: &str) -> bool {
    object.is_some_and(|object| object.is_terminating() && object.finalizers().any(|one| one == finalizer))
}

fn references(object: Option<&Object>) -> &[Value] {
    object.map_or(&[], |object| object.owner_references())
}

/// Lets go of everything that an object owns, then of the object. False if there is so much that others come first.
fn orphan_dependents(api: &mut ApiServer, key: &ObjectKey, object: &Object) -> Result<bool, ApiError> {
    for (dependent_key, dependent) in dependents(api, object) {
        if api.has_written_much() {
            return Ok(false);
        }
        drop_owners(api, &dependent_key, &dependent, &[object.uid().to_owned()])?;
    }
    remove_finalizer(api, key, object, ORPHAN).map(|()| true)
}

/// Lets go of an object once nothing that it owns holds it.
fn finish_foreground(api: &mut ApiServer, key: &ObjectKey, object: &Object) -> Result<(), ApiError> {
    let blocks = |dependent: &Object| {
        dependent.owner_references().iter().any(|reference| {
            reference.text(&["uid"]) == object.uid() && reference["blockOwnerDeletion"] == true
        })
    };
    if api.store().owned_by(object.uid()).any(|(_, dependent)| blocks(dependent)) {
        return Ok(());
    }
    remove_finalizer(api, key, object, FOREGROUND)
}

/// Objects that own each other and all wait for the others to go would wait for ever: one of them stops blocking.
fn unblock_circle(api: &mut ApiServer, key: &ObjectKey, object: &Object) -> Result<(), ApiError> {
    if !api.store().owned_by(object.uid()).any(|(_, dependent)| waits(Some(dependent), FOREGROUND)) {
        return Ok(());
    }
    let mut references = object.owner_references().to_vec();
    for reference in &mut references {
        if reference["blockOwnerDeletion"] == true {
            reference.set(&["blockOwnerDeletion"], false);
        }
    }
    write_owners(api, key, references)
}

fn dependents(api: &ApiServer, object: &Object) -> Vec<(ObjectKey, Arc<Object>)> {
    api.store().owned_by(object.uid()).map(|(key, object)| (key.clone(), Arc::clone(object))).collect()
}

fn drop_owners(
    api: &mut ApiServer,
    key: &ObjectKey,
    object: &Object,
    uids: &[String],
) -> Result<(), ApiError> {
    if uids.is_empty() {
        return Ok(());
    }
    let stays = |reference: &&Value| !uids.iter().any(|uid| reference.text(&["uid"]) == uid);
    let references: Vec<Value> = object.owner_references().iter().filter(stays).cloned().collect();
    write_owners(api, key, references)
}

fn write_owners(api: &mut ApiServer, key: &ObjectKey, references: Vec<Value>) -> Result<(), ApiError> {
    let references = if references.is_empty() { Value::Null } else { Value::Array(references) };
    patch(api, key, json!({"metadata": {"ownerReferences": references}}))
}

fn remove_finalizer(
    api: &mut ApiServer,
    key: &ObjectKey,
    object: &Object,
    finalizer: &str,
) -> Result<(), ApiError> {
    let finalizers: Vec<&str> = object.finalizers().filter(|one| *one != finalizer).collect();
    let finalizers = if finalizers.is_empty() { Value::Null } else { json!(finalizers) };
    patch(api, key, json!({"metadata": {"finalizers": finalizers}}))
}

fn patch(api: &mut ApiServer, key: &ObjectKey, changes: Value) -> Result<(), ApiError> {
    let result = api.patch(
        &manager(),
        key.kind,
        &key.name,
        &Patch::Merge(changes),
        Subresource::None,
        WriteOptions::default(),
    );
    result.map(|_| ())
}
