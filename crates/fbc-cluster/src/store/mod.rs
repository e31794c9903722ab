//! The objects of a cluster, with indexes and a log of what changed.
//!
//! The store knows nothing of permissions, defaults or finalizers: that is the API server's work. Every write
//! gets the next resource version, and costs the same however many unrelated objects there are.

mod indexes;
mod log;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use self::indexes::{Indexes, Label};
pub use self::log::Change;
use self::log::ChangeLog;
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

/// All objects.
#[derive(Debug, Clone, Default)]
pub struct Store {
    objects: BTreeMap<KindId, BTreeMap<ObjectName, Stored>>,
    indexes: Indexes,
    log: ChangeLog,
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

    /// Whether an object of so much memory keeps all objects within a number of bytes, in the place of the one of that name. One
    /// that does not grow always does.
    pub(crate) fn has_room(&self, kind: KindId, name: &ObjectName, memory: u64, most: u64) -> bool {
        let stored = self.objects.get(&kind).and_then(|objects| objects.get(name));
        let before = stored.map_or(0, |stored| stored.memory);
        memory <= before || self.bytes - before + memory <= most
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
        let key = self.indexes.by_uid(uid)?;
        Some((key, self.get(key.kind, &key.name)?))
    }

    /// The objects that name this uid in an owner reference.
    pub fn owned_by(&self, uid: &str) -> impl Iterator<Item = (&ObjectKey, &Arc<Object>)> {
        self.indexes.owned_by(uid).map(|(key, object)| {
            self.look(1);
            (key, object)
        })
    }

    /// The objects of a kind whose controller has this uid, by namespace and name.
    pub fn controlled_by(&self, uid: &str, kind: KindId) -> impl Iterator<Item = &Arc<Object>> {
        self.indexes.controlled_by(uid, kind).inspect(|_| self.look(1))
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
        let names = self.indexes.with_label(&Label::new(kind, key, value));
        names.into_iter().flatten().filter_map(move |name| self.get(kind, name))
    }

    /// The objects of a kind with a label in a namespace, by name.
    pub fn with_label_in<'s>(
        &'s self,
        kind: KindId,
        namespace: &'s str,
        key: &str,
        value: &str,
    ) -> impl Iterator<Item = &'s Arc<Object>> {
        let names = self.indexes.with_label(&Label::new(kind, key, value));
        indexes::in_namespace(names, namespace).filter_map(move |name| self.get(kind, name))
    }

    /// Of [`Self::with_label_in`], those without a controller.
    pub fn uncontrolled_in<'s>(
        &'s self,
        kind: KindId,
        namespace: &'s str,
        key: &str,
        value: &str,
    ) -> impl Iterator<Item = &'s Arc<Object>> {
        let names = self.indexes.uncontrolled(&Label::new(kind, key, value));
        indexes::in_namespace(names, namespace).filter_map(move |name| self.get(kind, name))
    }

    /// How many objects of a kind there are.
    pub fn count(&self, kind: KindId) -> usize {
        self.objects.get(&kind).map_or(0, BTreeMap::len)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.indexes.len()
    }

    /// True without any object.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
        self.indexes.update(&key, before.as_deref(), Some(&object));
        let after = Some(Arc::clone(&object));
        self.log.push(Change { revision: self.revision, key, before, after }, memory);
        object
    }

    /// Takes an object away. The last state that watches see has the resource version of the removal.
    pub fn remove(&mut self, kind: KindId, name: &ObjectName) -> Option<Arc<Object>> {
        let Stored { object: before, memory } = self.objects.get_mut(&kind)?.remove(name)?;
        self.bytes -= memory;
        self.revision += 1;
        let key = ObjectKey { kind, name: name.clone() };
        self.indexes.update(&key, Some(&*before), None);
        let gone = Some(Arc::clone(&before));
        self.log.push(Change { revision: self.revision, key, before: gone, after: None }, memory);
        Some(before)
    }

    /// Takes away the objects of a kind whose last write is the longest ago: a tenth of them, so that whoever needs room again soon
    /// does not look for it anew. False if there is none.
    pub(crate) fn remove_oldest(&mut self, kind: KindId) -> bool {
        let revision = |object: &Object| object.text(&["metadata", "resourceVersion"]).parse().unwrap_or(0);
        let mut oldest: Vec<(u64, ObjectName)> =
            self.of_kind(kind).map(|object| (revision(object), object.object_name())).collect();
        oldest.sort_unstable();
        oldest.truncate(oldest.len().div_ceil(10));
        oldest.iter().for_each(|(_, name)| drop(self.remove(kind, name)));
        !oldest.is_empty()
    }

    /// The kind of which there are most objects, and how many.
    pub(crate) fn most_common(&self) -> Option<(KindId, usize)> {
        self.objects.iter().map(|(kind, objects)| (*kind, objects.len())).max_by_key(|(_, count)| *count)
    }

    /// What changed after a resource version, or `None` if that is no longer known.
    pub fn changes_since(&self, revision: u64) -> Option<impl Iterator<Item = &Change>> {
        self.log.since(revision, self.revision)
    }

    /// How many changes are known.
    pub fn changes_kept(&self) -> u64 {
        self.log.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::log::{KEPT_BYTES, KEPT_CHANGES};
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
        assert!(store.log.bytes() <= KEPT_BYTES && store.changes_kept() < 100);
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
