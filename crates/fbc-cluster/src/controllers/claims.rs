//! Which objects belong to a controller: those that name it, and those that fit its selector and belong to nobody.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/controller_ref_manager.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::write::manager;
use crate::api::{ApiServer, Patch, Subresource, WriteOptions};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName, controller_reference};
use crate::selector::LabelSelector;
use crate::store::Change;

/// The objects of a kind that belong to an owner, by name. Fitting ones without a controller are adopted, those that
/// do not fit any more are let go.
pub(super) fn claim(
    api: &mut ApiServer,
    owner: &Object,
    kind: KindId,
    selector: &LabelSelector,
) -> Result<Vec<Arc<Object>>, ApiError> {
    let mut claimed = Vec::new();
    for object in owned(api, owner, kind) {
        if selector.matches_object(&object) {
            claimed.push(object);
        } else if !owner.is_terminating() && !object.is_terminating() && !api.has_written_much() {
            release(api, owner, kind, &object)?;
        }
    }
    if !owner.is_terminating() {
        let orphans = orphans(api, owner, kind, selector);
        let is_sorted = orphans.is_empty();
        for orphan in orphans {
            if api.has_written_much() {
                // Those that were adopted bring the controller back.
                claimed.push(orphan);
                continue;
            }
            let mut references = orphan.owner_references().to_vec();
            references.push(controller_reference(owner));
            claimed.push(write_owners(api, kind, &orphan, references)?);
        }
        if !is_sorted {
            claimed.sort_by(|one, other| one.name().cmp(other.name()));
        }
    }
    Ok(claimed)
}

/// The objects of a kind whose controller is this one, by name.
pub(super) fn owned(api: &ApiServer, owner: &Object, kind: KindId) -> Vec<Arc<Object>> {
    api.store().controlled_by(owner.uid(), kind).cloned().collect()
}

/// The objects of a kind that nobody has and that fit the selector of an owner.
pub(super) fn orphans(
    api: &ApiServer,
    owner: &Object,
    kind: KindId,
    selector: &LabelSelector,
) -> Vec<Arc<Object>> {
    let store = api.store();
    let fits = |object: &&Arc<Object>| {
        object.controller().is_none() && !object.is_terminating() && selector.matches_object(object)
    };
    match selector.required_label() {
        Some((key, value)) => {
            store.uncontrolled_in(kind, owner.namespace(), key, value).filter(fits).cloned().collect()
        }
        None => store.in_namespace(kind, owner.namespace()).filter(fits).cloned().collect(),
    }
}

fn release(api: &mut ApiServer, owner: &Object, kind: KindId, object: &Object) -> Result<(), ApiError> {
    let stays = |reference: &&Value| reference.text(&["uid"]) != owner.uid();
    let references = object.owner_references().iter().filter(stays).cloned().collect();
    write_owners(api, kind, object, references).map(|_| ())
}

fn write_owners(
    api: &mut ApiServer,
    kind: KindId,
    object: &Object,
    references: Vec<Value>,
) -> Result<Arc<Object>, ApiError> {
    let references = if references.is_empty() { Value::Null } else { Value::Array(references) };
    let patch = Patch::Merge(json!({"metadata": {"ownerReferences": references}}));
    let options = WriteOptions::default();
    api.patch(&manager(), kind, &object.object_name(), &patch, Subresource::None, options)
}

/// The selectors of a kind of controllers, so that an object without owner finds who may want it.
#[derive(Debug, Default)]
pub(super) struct Selectors {
    by_name: BTreeMap<ObjectName, LabelSelector>,
    /// Namespace, label and value that every selected object has.
    by_label: BTreeMap<(String, String, String), BTreeSet<ObjectName>>,
    /// Those without such a label.
    others: BTreeSet<ObjectName>,
}

impl Selectors {
    /// Keeps up with a change of a controller.
    pub(super) fn follow(&mut self, change: &Change) {
        let selector = change.after.as_ref();
        let selector =
            selector.and_then(|object| LabelSelector::of_object(object.at(&["spec", "selector"])).ok());
        self.set(&change.key.name, selector);
    }

    /// Sets what an object selects, or that it selects nothing any more.
    pub(super) fn set(&mut self, name: &ObjectName, selector: Option<LabelSelector>) {
        if self.by_name.get(name) == selector.as_ref() {
            return;
        }
        if let Some(old) = self.by_name.remove(name) {
            match old.required_label() {
                Some(label) => {
                    if let Some(names) = self.by_label.get_mut(&label_key(name, label)) {
                        names.remove(name);
                    }
                }
                None => {
                    self.others.remove(name);
                }
            }
        }
        let Some(selector) = selector else { return };
        match selector.required_label() {
            Some(label) => {
                self.by_label.entry(label_key(name, label)).or_default().insert(name.clone());
            }
            None => {
                self.others.insert(name.clone());
            }
        }
        self.by_name.insert(name.clone(), selector);
    }

    /// The controllers that an object makes look: its own, or those that may adopt it. When it changes hands, both.
    pub(super) fn concerned(&self, change: &Change, kind: &str, requests: &mut Vec<ObjectName>) {
        let mut push = |name: ObjectName| {
            if !requests.contains(&name) {
                requests.push(name);
            }
        };
        for object in [&change.after, &change.before].into_iter().flatten() {
            match object.controller() {
                Some(owner) if owner["kind"] == kind => {
                    push(ObjectName::namespaced(object.namespace(), owner.text(&["name"])));
                }
                Some(_) => {}
                None => self.matching(object).for_each(&mut push),
            }
        }
    }

    /// Those that select an object.
    pub(super) fn matching<'s>(&'s self, object: &'s Object) -> impl Iterator<Item = ObjectName> + 's {
        let labels = object.at(&["metadata", "labels"]).and_then(Value::as_object);
        let by_label = labels.into_iter().flatten().filter_map(|(key, value)| {
            let value = value.as_str()?.to_owned();
            self.by_label.get(&(object.namespace().to_owned(), key.clone(), value))
        });
        let fits = |name: &&ObjectName| {
            name.namespace == object.namespace()
                && self.by_name.get(name).is_some_and(|selector| selector.matches_object(object))
        };
        by_label.flatten().chain(&self.others).filter(fits).cloned()
    }
}

fn label_key(name: &ObjectName, (key, value): (&str, &str)) -> (String, String, String) {
    (name.namespace.clone(), key.to_owned(), value.to_owned())
}
