//! What a step changed besides catalogs, extensions and revisions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::settle::OBSERVED;

/// Kind, namespace and name.
pub(super) type Key = (String, String, String);

/// The objects of the cluster at one moment.
pub(super) type Snapshot = BTreeMap<Key, Arc<Object>>;

/// Kinds that recordings leave out.
const LEFT_OUT: [&str; 4] = ["Event", "Lease", "APIService", "IPAddress"];

/// Namespace and name of an object, with its kind.
pub(super) fn key(object: &Object) -> Key {
    (object.kind().to_owned(), object.namespace().to_owned(), object.name().to_owned())
}

/// The objects that count.
pub(super) fn snapshot(api: &ApiServer) -> Snapshot {
    let counts = |object: &Object| {
        let kind = object.kind();
        let is_default = kind == "ServiceAccount" && object.name() == "default";
        let is_left_out = OBSERVED.contains(&kind) || LEFT_OUT.contains(&kind) || is_default;
        !is_left_out && object.namespace() != "kube-system"
    };
    let objects = api.store().iter().map(|(_, _, object)| object);
    objects.filter(|object| counts(object)).map(|object| (key(object), Arc::clone(object))).collect()
}

/// What differs between two moments, without what the step itself made.
pub(super) fn differences(before: &Snapshot, after: &Snapshot, made: &BTreeSet<Key>) -> Vec<Value> {
    let keys: BTreeSet<&Key> = before.keys().chain(after.keys()).collect();
    let changes = keys.into_iter().filter(|key| !made.contains(*key)).filter_map(|key| {
        let change = match (before.get(key), after.get(key)) {
            (None, Some(_)) => "created",
            (Some(_), None) => "deleted",
            (Some(before), Some(after)) if before.uid() != after.uid() => "recreated",
            (Some(before), Some(after)) if !is_same(before, after) => "changed",
            _ => return None,
        };
        let (kind, namespace, name) = key;
        Some(json!({"change": change, "kind": kind, "namespace": namespace, "name": name}))
    });
    changes.collect()
}

/// True if nothing differs but what recordings leave out.
fn is_same(before: &Arc<Object>, after: &Arc<Object>) -> bool {
    let essential = |object: &Object| {
        let mut object = object.clone();
        object.remove(&["status"]);
        for field in ["resourceVersion", "generation", "managedFields"] {
            object.remove(&["metadata", field]);
        }
        object
    };
    Arc::ptr_eq(before, after) || essential(before) == essential(after)
}
