//! The objects of a cluster, with indexes and a log of what changed.
//!
//! The store knows nothing of permissions, defaults or finalizers: that is the API server's work. Every write
//! gets the next resource version, and costs the same however many unrelated objects there are.

use std::borrow::Borrow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::Hash;
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Value;

use crate::budget::{Size, WORK_OF_A_WRITE};
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};

/// An object of any kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// Its kind.
    pub kind: KindId,
    /// Its namespace and name.
    pub name: ObjectName,
}

/// What a watch is told.
#[derive(Debug, Clone)]
pub struct Change {
    /// The resource version that the write got.
    pub revision: u64,
    /// The object.
    pub key: ObjectKey,
    /// The object before, unless it is new.
    pub before: Option<Arc<Object>>,
    /// The object after, unless it is gone.
    pub after: Option<Arc<Object>>,
}

impl Change {
    /// The object as it is now, or as it was last.
    pub fn latest(&self) -> Option<&Arc<Object>> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

/// How many changes are kept for watches that resume.
const KEPT_CHANGES: usize = 10_000;
/// How much memory the objects of these changes may hold, as far as it can be told.
const KEPT_BYTES: u64 = 64 << 20;

type ByLabel = HashMap<(KindId, String, String), BTreeSet<ObjectName>>;
type ByOwner = HashMap<String, BTreeMap<ObjectKey, Owned>>;

/// All objects.
#[derive(Debug, Clone, Default)]
pub struct Store {
    objects: BTreeMap<KindId, BTreeMap<ObjectName, Stored>>,
    by_uid: HashMap<String, ObjectKey>,
    by_owner: ByOwner,
    by_label: ByLabel,
    /// Of `by_label`, what has no controller.
    uncontrolled: ByLabel,
    changes: VecDeque<(Change, u64)>,
    /// The memory of the objects of `changes`.
    kept: u64,
    revision: u64,
    /// The memory of all objects.
    bytes: u64,
    /// How often an object was looked at.
    looks: Cell<u64>,
}

/// An object and the memory that it holds.
#[derive(Debug, Clone)]
struct Stored {
    object: Arc<Object>,
    memory: u64,
}

/// An object that names an owner.
#[derive(Debug, Clone)]
struct Owned {
    object: Arc<Object>,
    /// Whether that owner is its controller.
    is_controlled: bool,
}

impl Store {
    /// The resource version of the last write.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// An object by its name.
    pub fn get(&self, kind: KindId, name: &ObjectName) -> Option<&Arc<Object>> {
        self.look(1);
        self.objects.get(&kind)?.get(name).map(|stored| &stored.object)
    }

    /// The memory that all objects hold, in bytes, as far as it can be told from their values.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How often an object was looked at: by name, or in one of the lists below.
    pub fn looks(&self) -> u64 {
        self.looks.get()
    }

    /// Counts work that was done on objects.
    pub(crate) fn look(&self, count: u64) {
        self.looks.set(self.looks.get().saturating_add(count));
    }

    /// An object by its uid.
    pub fn by_uid(&self, uid: &str) -> Option<(&ObjectKey, &Arc<Object>)> {
        let key = self.by_uid.get(uid)?;
        Some((key, self.get(key.kind, &key.name)?))
    }

    /// The objects that name this uid in an owner reference.
    pub fn owned_by(&self, uid: &str) -> impl Iterator<Item = (&ObjectKey, &Arc<Object>)> {
        self.by_owner.get(uid).into_iter().flatten().map(|(key, owned)| {
            self.look(1);
            (key, &owned.object)
        })
    }

    /// The objects of a kind whose controller has this uid, by namespace and name.
    pub fn controlled_by(&self, uid: &str, kind: KindId) -> impl Iterator<Item = &Arc<Object>> {
        let first = ObjectKey { kind, name: ObjectName::default() };
        self.by_owner
            .get(uid)
            .into_iter()
            .flat_map(move |owned| owned.range(&first..))
            .take_while(move |(key, _)| key.kind == kind)
            .filter(|(_, owned)| owned.is_controlled)
            .map(|(_, owned)| {
                self.look(1);
                &owned.object
            })
    }

    /// The objects of a kind, by namespace and name.
    pub fn of_kind(&self, kind: KindId) -> impl Iterator<Item = &Arc<Object>> {
        self.objects.get(&kind).into_iter().flat_map(BTreeMap::values).map(|stored| {
            self.look(1);
            &stored.object
        })
    }

    /// The objects of a kind in a namespace, by name.
    pub fn in_namespace<'s>(
        &'s self,
        kind: KindId,
        namespace: &'s str,
    ) -> impl Iterator<Item = &'s Arc<Object>> {
        let first = ObjectName::namespaced(namespace, "");
        self.objects
            .get(&kind)
            .into_iter()
            .flat_map(move |objects| objects.range((Bound::Included(first.clone()), Bound::Unbounded)))
            .take_while(move |(name, _)| name.namespace == namespace)
            .map(|(_, stored)| {
                self.look(1);
                &stored.object
            })
    }

    /// The objects of a kind with a label, by namespace and name.
    pub fn with_label(&self, kind: KindId, key: &str, value: &str) -> impl Iterator<Item = &Arc<Object>> {
        self.by_label
            .get(&(kind, key.to_owned(), value.to_owned()))
            .into_iter()
            .flatten()
            .filter_map(move |name| self.get(kind, name))
    }

    /// The objects of a kind with a label in a namespace, by name.
    pub fn with_label_in<'s>(
        &'s self,
        kind: KindId,
        namespace: &'s str,
        key: &str,
        value: &str,
    ) -> impl Iterator<Item = &'s Arc<Object>> {
        self.labelled(&self.by_label, (kind, key.to_owned(), value.to_owned()), namespace)
    }

    /// Of [`Self::with_label_in`], those without a controller.
    pub fn uncontrolled_in<'s>(
        &'s self,
        kind: KindId,
        namespace: &'s str,
        key: &str,
        value: &str,
    ) -> impl Iterator<Item = &'s Arc<Object>> {
        self.labelled(&self.uncontrolled, (kind, key.to_owned(), value.to_owned()), namespace)
    }

    fn labelled<'s>(
        &'s self,
        index: &'s ByLabel,
        label: (KindId, String, String),
        namespace: &'s str,
    ) -> impl Iterator<Item = &'s Arc<Object>> {
        let first = ObjectName::namespaced(namespace, "");
        index
            .get(&label)
            .into_iter()
            .flat_map(move |names| names.range((Bound::Included(first.clone()), Bound::Unbounded)))
            .take_while(move |name| name.namespace == namespace)
            .filter_map(move |name| self.get(label.0, name))
    }

    /// How many objects of a kind there are.
    pub fn count(&self, kind: KindId) -> usize {
        self.objects.get(&kind).map_or(0, BTreeMap::len)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.by_uid.len()
    }

    /// True without any object.
    pub fn is_empty(&self) -> bool {
        self.by_uid.is_empty()
    }

    /// Every object, by kind in the order in which kinds came, then by name.
    pub fn iter(&self) -> impl Iterator<Item = (KindId, &ObjectName, &Arc<Object>)> {
        self.objects.iter().flat_map(|(kind, objects)| {
            objects.iter().map(move |(name, stored)| (*kind, name, &stored.object))
        })
    }

    /// Writes an object, new or changed, and gives it the next resource version.
    pub fn put(&mut self, kind: KindId, object: Object) -> Arc<Object> {
        let memory = Size::of(&object).memory;
        self.put_sized(kind, object, memory)
    }

    /// As [`Self::put`], of an object whose memory is known.
    pub(crate) fn put_sized(&mut self, kind: KindId, mut object: Object, memory: u64) -> Arc<Object> {
        self.revision += 1;
        self.look(WORK_OF_A_WRITE);
        object.set(&["metadata", "resourceVersion"], self.revision.to_string());
        let object = Arc::new(object);
        let name = object.object_name();
        let stored = Stored { object: Arc::clone(&object), memory };
        let before = self.objects.entry(kind).or_default().insert(name.clone(), stored);
        self.bytes = self.bytes + memory - before.as_ref().map_or(0, |before| before.memory);
        let before = before.map(|stored| stored.object);
        let key = ObjectKey { kind, name };
        self.reindex(&key, before.as_deref(), Some(&object));
        self.record(key, before, Some(Arc::clone(&object)), memory);
        object
    }

    /// Takes an object away. The last state that watches see has the resource version of the removal.
    pub fn remove(&mut self, kind: KindId, name: &ObjectName) -> Option<Arc<Object>> {
        let Stored { object: before, memory } = self.objects.get_mut(&kind)?.remove(name)?;
        self.bytes -= memory;
        self.revision += 1;
        let key = ObjectKey { kind, name: name.clone() };
        self.reindex(&key, Some(&*before), None);
        self.record(key, Some(Arc::clone(&before)), None, memory);
        Some(before)
    }

    /// What changed after a resource version, or `None` if that is no longer known.
    pub fn changes_since(&self, revision: u64) -> Option<impl Iterator<Item = &Change>> {
        let oldest = self.changes.front().map_or(self.revision + 1, |(change, _)| change.revision);
        if revision + 1 < oldest && revision < self.revision {
            return None;
        }
        let start = self.changes.partition_point(|(change, _)| change.revision <= revision);
        Some(self.changes.range(start..).map(|(change, _)| change))
    }

    /// How many changes are known.
    pub fn changes_kept(&self) -> u64 {
        self.changes.len() as u64
    }

    fn record(
        &mut self,
        key: ObjectKey,
        before: Option<Arc<Object>>,
        after: Option<Arc<Object>>,
        memory: u64,
    ) {
        self.changes.push_back((Change { revision: self.revision, key, before, after }, memory));
        self.kept += memory;
        while self.changes.len() > KEPT_CHANGES || (self.kept > KEPT_BYTES && self.changes.len() > 1) {
            let Some((_, memory)) = self.changes.pop_front() else { break };
            self.kept -= memory;
        }
    }

    fn reindex(&mut self, key: &ObjectKey, before: Option<&Object>, after: Option<&Arc<Object>>) {
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
        drop_from(index, &(key.kind, label.to_owned(), value.to_owned()), &key.name);
    }
    for (label, value) in new {
        let labels = (key.kind, label.to_owned(), value.to_owned());
        index.entry(labels).or_default().insert(key.name.clone());
    }
}

fn drop_from<K, Q, V>(index: &mut HashMap<K, BTreeSet<V>>, key: &Q, member: &V)
where
    K: Eq + Hash + Borrow<Q>,
    Q: Eq + Hash + ?Sized,
    V: Ord,
{
    if let Some(set) = index.get_mut(key) {
        set.remove(member);
        if set.is_empty() {
            index.remove(key);
        }
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kind::{Kind, Registry};

    fn kind() -> KindId {
        let text = |text: &str| text.to_owned();
        Registry::default().register(Kind {
            group: String::new(),
            versions: vec![text("v1")],
            kind: text("ConfigMap"),
            plural: text("configmaps"),
            singular: text("configmap"),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced: true,
            has_status: false,
            has_generation: false,
        })
    }

    fn object(name: &str, uid: &str, owner: Option<&str>, label: &str) -> Object {
        let mut object =
            json!({"metadata": {"namespace": "a", "name": name, "uid": uid, "labels": {"app": label}}});
        if let Some(owner) = owner {
            object.set(&["metadata", "ownerReferences"], json!([{"uid": owner}]));
        }
        object
    }

    #[test]
    fn indexes_follow_writes() {
        let (mut store, kind) = (Store::default(), kind());
        store.put(kind, object("one", "1", None, "x"));
        store.put(kind, object("two", "2", Some("1"), "x"));
        store.put(kind, object("two", "2", Some("3"), "y"));
        assert_eq!(store.owned_by("1").count(), 0);
        assert_eq!(store.owned_by("3").map(|(key, _)| key.name.name.as_str()).collect::<Vec<_>>(), ["two"]);
        assert_eq!(
            store.with_label(kind, "app", "x").map(|object| object.name()).collect::<Vec<_>>(),
            ["one"]
        );
        assert_eq!(store.in_namespace(kind, "a").count(), 2);
        let mut controlled = object("three", "4", Some("3"), "y");
        let free = |store: &Store| {
            let names = store.uncontrolled_in(kind, "a", "app", "y");
            names.map(|object| object.name().to_owned()).collect::<Vec<_>>()
        };
        store.put(kind, controlled.clone());
        assert_eq!(free(&store), ["three", "two"]);
        assert_eq!(store.controlled_by("3", kind).count(), 0);
        controlled["metadata"]["ownerReferences"][0]["controller"] = true.into();
        controlled["data"] = json!({"is": "new"});
        store.put(kind, controlled);
        assert_eq!(free(&store), ["two"]);
        assert_eq!(
            store.controlled_by("3", kind).map(|object| &object["data"]["is"]).collect::<Vec<_>>(),
            ["new"]
        );
        store.remove(kind, &ObjectName::namespaced("a", "three"));
        assert_eq!(store.controlled_by("3", kind).count(), 0);
        assert_eq!(store.in_namespace(kind, "b").count(), 0);
        store.remove(kind, &ObjectName::namespaced("a", "two"));
        assert!(store.by_uid("2").is_none());
        assert_eq!(store.owned_by("3").count(), 0);
        assert_eq!(store.with_label(kind, "app", "y").count(), 0);
        assert_eq!(store.revision(), 7);
    }

    #[test]
    fn memory_is_that_of_what_is_there() {
        let (mut store, kind) = (Store::default(), kind());
        store.put(kind, object("one", "1", None, "x"));
        let one = store.bytes();
        store.put(kind, object("two", "2", None, "x"));
        store.put(kind, object("two", "2", None, &"y".repeat(1_000)));
        assert!(store.bytes() > 2 * one + 990);
        store.remove(kind, &ObjectName::namespaced("a", "two"));
        assert_eq!(store.bytes(), one);
        store.remove(kind, &ObjectName::namespaced("a", "one"));
        assert_eq!(store.bytes(), 0);
        // The log of changes holds on to large objects for a while only.
        let large = "z".repeat(1 << 20);
        (0..200).for_each(|_| drop(store.put(kind, object("one", "1", None, &large))));
        assert!(store.kept <= KEPT_BYTES && store.changes.len() < 100);
        assert!(store.changes_since(5).is_none());
    }

    #[test]
    fn watches_resume_until_changes_are_forgotten() {
        let (mut store, kind) = (Store::default(), kind());
        for number in 0..KEPT_CHANGES + 5 {
            store.put(kind, object("one", "1", None, &number.to_string()));
        }
        assert!(store.changes_since(4).is_none());
        assert_eq!(store.changes_since(5).map(Iterator::count), Some(KEPT_CHANGES));
        assert_eq!(store.changes_since(store.revision()).map(Iterator::count), Some(0));
    }
}
