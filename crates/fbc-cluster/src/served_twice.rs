//! Kinds that are served in two groups: one store, and two shapes of the same object.
//!
//! Objects are stored as the one group has them; the other one names some of their fields otherwise.
//!
//! Sources: `kubernetes/kubernetes:pkg/apis/events/v1/conversion.go`, KEP-383.

use std::sync::Arc;

use serde_json::Value;

use crate::kind::{GroupVersionKind, Kind, Registry};
use crate::object::{Object, ObjectFields};
use crate::types::{decode, types};

/// A kind of one group that is that of another.
struct Twin {
    group: &'static str,
    kind: &'static str,
    /// The group that it is stored in.
    stored: &'static str,
    /// Fields by their names in the group, and in the other one.
    fields: &'static [(&'static str, &'static str)],
}

static TWINS: [Twin; 1] = [Twin {
    group: "events.k8s.io",
    kind: "Event",
    stored: "",
    fields: &[
        ("regarding", "involvedObject"),
        ("note", "message"),
        ("reportingController", "reportingComponent"),
        ("deprecatedSource", "source"),
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
    ],
}];

fn twin(group: &str, kind: &str) -> Option<&'static Twin> {
    TWINS.iter().find(|twin| twin.group == group && twin.kind == kind)
}

fn twin_of_object(object: &Object) -> Option<&'static Twin> {
    let name = object.kind();
    TWINS.iter().find(|twin| twin.kind == name && object.api_version().split('/').next() == Some(twin.group))
}

/// The kind under which objects of a kind are stored.
pub fn stored_kind<'r>(registry: &'r Registry, kind: &Kind) -> Option<(crate::kind::KindId, &'r Kind)> {
    let twin = twin(&kind.group, &kind.kind)?;
    registry.find(twin.stored, twin.kind)
}

/// The groups in which a kind that is stored in one is served besides.
pub(crate) fn other_groups(kind: &Kind) -> impl Iterator<Item = &'static str> + use<'_> {
    TWINS.iter().filter(|twin| twin.stored == kind.group && twin.kind == kind.kind).map(|twin| twin.group)
}

/// Whether an object has another shape where it is stored.
pub fn is_twin(object: &Object) -> bool {
    twin_of_object(object).is_some()
}

/// An object as it is stored.
pub fn stored(mut object: Object) -> Object {
    if let Some(twin) = twin_of_object(&object) {
        rename(&mut object, twin.fields.iter().copied());
        let version =
            GroupVersionKind { group: twin.stored.to_owned(), version: "v1".to_owned(), kind: String::new() };
        object.set(&["apiVersion"], version.api_version());
    }
    object
}

/// A stored object as another group has it; the same if the group has no shape of its own.
pub(crate) fn shown(object: &Arc<Object>, group: &str, version: &str) -> Arc<Object> {
    let Some(twin) = twin(group, object.kind()) else { return Arc::clone(object) };
    let mut shown = Object::clone(object);
    rename(&mut shown, twin.fields.iter().map(|(name, stored)| (*stored, *name)));
    shown.set(&["apiVersion"], format!("{group}/{version}"));
    if let Some(of) = types().of_kind(group, version, twin.kind) {
        // What is stored fits; this leaves out what is empty.
        let _ = decode(&mut shown, of);
    }
    Arc::new(shown)
}

/// Part of an object of a kind as it is stored: a merge patch, or a configuration to apply.
pub fn stored_part(kind: &Kind, part: &mut Value) {
    if let Some(twin) = twin(&kind.group, &kind.kind) {
        rename(part, twin.fields.iter().copied());
        if part.get("apiVersion").is_some() {
            let version = GroupVersionKind {
                group: twin.stored.to_owned(),
                version: "v1".to_owned(),
                kind: String::new(),
            };
            part.set(&["apiVersion"], version.api_version());
        }
    }
}

/// The name that the first field of a path has where objects are stored.
pub fn stored_field<'f>(kind: &Kind, field: &'f str) -> &'f str {
    let twin = twin(&kind.group, &kind.kind);
    let fields = twin.map(|twin| twin.fields).unwrap_or_default();
    fields.iter().find(|(name, _)| *name == field).map_or(field, |(_, stored)| stored)
}

fn rename<'n>(object: &mut Value, names: impl Iterator<Item = (&'n str, &'n str)>) {
    let Value::Object(members) = object else { return };
    for (from, to) in names {
        if let Some(value) = members.remove(from) {
            members.insert(to.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_has_two_shapes() {
        let new = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
            "regarding": {"kind": "Pod", "name": "p"}, "note": "hello", "reportingController": "x/y",
            "reportingInstance": "x-1", "action": "Do", "reason": "R", "type": "Normal",
            "eventTime": "2026-01-01T00:00:00.000000Z",
        });
        let stored = stored(new.clone());
        assert_eq!((stored.api_version(), stored.text(&["message"])), ("v1", "hello"));
        assert_eq!(stored.text(&["involvedObject", "name"]), "p");
        let mut shown = Object::clone(&shown(&Arc::new(stored), "events.k8s.io", "v1"));
        shown.remove(&["deprecatedSource"]);
        assert_eq!(shown, new);
    }
}
