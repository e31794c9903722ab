//! By what objects are found besides their names: uids, owners and labels.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Value;

use super::ObjectKey;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};

/// A label of the objects of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Label {
    kind: KindId,
    key: String,
    value: String,
}

impl Label {
    pub(super) fn new(kind: KindId, key: &str, value: &str) -> Self {
        Self { kind, key: key.to_owned(), value: value.to_owned() }
    }
}

type ByLabel = HashMap<Label, BTreeSet<ObjectName>>;

/// All indexes. Nobody goes through the hash maps, so that their order decides nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Indexes {
    by_uid: HashMap<String, ObjectKey>,
    by_owner: HashMap<String, BTreeMap<ObjectKey, Owned>>,
    by_label: ByLabel,
    /// Of `by_label`, what has no controller.
    uncontrolled: ByLabel,
}

/// An object that names an owner.
#[derive(Debug, Clone)]
struct Owned {
    object: Arc<Object>,
    /// Whether that owner is its controller.
    is_controlled: bool,
}

impl Indexes {
    /// How many objects there are.
    pub(super) fn len(&self) -> usize {
        self.by_uid.len()
    }

    /// Which object has a uid.
    pub(super) fn by_uid(&self, uid: &str) -> Option<&ObjectKey> {
        self.by_uid.get(uid)
    }

    /// The objects that name a uid in an owner reference, by kind, namespace and name.
    pub(super) fn owned_by(&self, uid: &str) -> impl Iterator<Item = (&ObjectKey, &Arc<Object>)> {
        self.by_owner.get(uid).into_iter().flatten().map(|(key, owned)| (key, &owned.object))
    }

    /// The objects of a kind whose controller has a uid, by namespace and name.
    pub(super) fn controlled_by(&self, uid: &str, kind: KindId) -> impl Iterator<Item = &Arc<Object>> {
        let first = ObjectKey { kind, name: ObjectName::default() };
        self.by_owner
            .get(uid)
            .into_iter()
            .flat_map(move |owned| owned.range(&first..))
            .take_while(move |(key, _)| key.kind == kind)
            .filter(|(_, owned)| owned.is_controlled)
            .map(|(_, owned)| &owned.object)
    }

    /// The names of the objects with a label.
    pub(super) fn with_label(&self, label: &Label) -> Option<&BTreeSet<ObjectName>> {
        self.by_label.get(label)
    }

    /// Of [`Self::with_label`], those without a controller.
    pub(super) fn uncontrolled(&self, label: &Label) -> Option<&BTreeSet<ObjectName>> {
        self.uncontrolled.get(label)
    }

    /// Follows a write: what was, and what is.
    pub(super) fn update(&mut self, key: &ObjectKey, before: Option<&Object>, after: Option<&Arc<Object>>) {
        let latest = after;
        let after = after.map(|object| &**object);
        let (old, new) = (uid(before), uid(after));
        if old != new {
            if let Some(uid) = old {
                self.by_uid.remove(uid);
            }
            if let Some(uid) = new {
                self.by_uid.insert(uid.to_owned(), key.clone());
            }
        }
        let changed = |field| metadata(before, field) != metadata(after, field);
        let changes_hands = changed("ownerReferences");
        if changes_hands {
            for owner in owners(before) {
                if let Some(owned) = self.by_owner.get_mut(owner) {
                    owned.remove(key);
                    if owned.is_empty() {
                        self.by_owner.remove(owner);
                    }
                }
            }
        }
        if let Some(object) = latest {
            let controller = object.controller().map(|owner| owner.text(&["uid"]));
            for owner in owners(after) {
                let is_controlled = controller == Some(owner);
                let owned = Owned { object: Arc::clone(object), is_controlled };
                self.by_owner.entry(owner.to_owned()).or_default().insert(key.clone(), owned);
            }
        }
        if changed("labels") {
            move_labels(&mut self.by_label, key, labels(before), labels(after));
        }
        if changes_hands || changed("labels") {
            let of = |object: Option<&Object>| object.is_none_or(|object| object.controller().is_none());
            let (old, new) = (before.filter(|_| of(before)), after.filter(|_| of(after)));
            move_labels(&mut self.uncontrolled, key, labels(old), labels(new));
        }
    }
}

/// Takes an object away from the labels that it had, and puts it under those that it has.
fn move_labels<'o>(
    index: &mut ByLabel,
    key: &ObjectKey,
    old: impl Iterator<Item = (&'o str, &'o str)>,
    new: impl Iterator<Item = (&'o str, &'o str)>,
) {
    for (label, value) in old {
        let label = Label::new(key.kind, label, value);
        if let Some(names) = index.get_mut(&label) {
            names.remove(&key.name);
            if names.is_empty() {
                index.remove(&label);
            }
        }
    }
    for (label, value) in new {
        index.entry(Label::new(key.kind, label, value)).or_default().insert(key.name.clone());
    }
}

/// The names in a namespace.
pub(super) fn in_namespace<'n>(
    names: Option<&'n BTreeSet<ObjectName>>,
    namespace: &'n str,
) -> impl Iterator<Item = &'n ObjectName> {
    let first = ObjectName::namespaced(namespace, "");
    names
        .into_iter()
        .flat_map(move |names| names.range((Bound::Included(first.clone()), Bound::Unbounded)))
        .take_while(move |name| name.namespace == namespace)
}

fn uid(object: Option<&Object>) -> Option<&str> {
    object.map(|object| object.uid()).filter(|uid| !uid.is_empty())
}

fn metadata<'o>(object: Option<&'o Object>, field: &str) -> Option<&'o Value> {
    object.and_then(|object| object.at(&["metadata", field]))
}

fn owners(object: Option<&Object>) -> impl Iterator<Item = &str> + use<'_> {
    object.map_or(&[][..], |object| object.owner_references()).iter().map(|owner| owner.text(&["uid"]))
}

fn labels(object: Option<&Object>) -> impl Iterator<Item = (&str, &str)> + use<'_> {
    object
        .and_then(|object| object.at(&["metadata", "labels"]))
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}
