//! Patches between two versions of an object and the one on the cluster.
//!
//! Sources: `createPatch` of `helm/helm:pkg/kube/client.go` and of
//! `operator-framework/helm-operator-plugins:pkg/client/actionclient.go`.

use serde_json::{Map, Value, json};

use crate::api::Patch;
use crate::object::ObjectFields;

/// The patch of an upgrade, if there is anything to change: what the new version has, without what only the old one
/// had. What others changed comes back for built-in kinds; definitions and custom resources keep it.
pub(super) fn upgrade(old: &Value, new: &Value, live: &Value) -> Option<Patch> {
    let reference = if is_strategic(new) { live } else { old };
    let mut patch = changes(reference, new);
    deletions(&mut patch, old, new);
    (!patch.is_empty()).then_some(Patch::Merge(Value::Object(patch)))
}

/// The patch that takes an object back to what the release says; what others added stays.
pub(super) fn drift(wanted: &Value, live: &Value) -> Option<Patch> {
    if is_strategic(wanted) {
        let patch = changes(live, wanted);
        return (!patch.is_empty()).then_some(Patch::Merge(Value::Object(patch)));
    }
    let mut operations = Vec::new();
    operations_between(live, wanted, "", &mut operations);
    (!operations.is_empty()).then_some(Patch::Json(Value::Array(operations)))
}

/// True for kinds whose lists merge by key: the built-in ones but definitions.
fn is_strategic(object: &Value) -> bool {
    let group = object.api_version().split_once('/').map_or("", |(group, _)| group);
    let is_built_in = !group.contains('.') || group.ends_with(".k8s.io");
    is_built_in && group != "apiextensions.k8s.io"
}

/// What must be set so that everything of `wanted` is in `live`.
fn changes(live: &Value, wanted: &Value) -> Map<String, Value> {
    let no_members = Map::new();
    let live = live.as_object().unwrap_or(&no_members);
    let mut patch = Map::new();
    for (field, wanted) in wanted.as_object().into_iter().flatten() {
        match (live.get(field), wanted) {
            (Some(Value::Object(_)), Value::Object(_)) => {
                let below = changes(&live[field], wanted);
                if !below.is_empty() {
                    patch.insert(field.clone(), Value::Object(below));
                }
            }
            (Some(live), wanted) if covers(live, wanted) => {}
            _ => {
                patch.insert(field.clone(), wanted.clone());
            }
        }
    }
    patch
}

/// True if a value has everything that is wanted; what the API server added does not count.
fn covers(live: &Value, wanted: &Value) -> bool {
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => wanted.iter().all(|(field, wanted)| {
            live.get(field).is_some_and(|live| covers(live, wanted)) || wanted.is_null()
        }),
        (Value::Array(live), Value::Array(wanted)) => {
            live.len() == wanted.len() && live.iter().zip(wanted).all(|(live, wanted)| covers(live, wanted))
        }
        (live, wanted) => live == wanted,
    }
}

/// Adds nulls for what the new version no longer has.
fn deletions(patch: &mut Map<String, Value>, old: &Value, new: &Value) {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return };
    for (field, old) in old {
        match new.get(field) {
            None => {
                patch.insert(field.clone(), Value::Null);
            }
            Some(new) if old.is_object() && new.is_object() => {
                let mut below = match patch.remove(field) {
                    Some(Value::Object(below)) => below,
                    _ => Map::new(),
                };
                deletions(&mut below, old, new);
                if !below.is_empty() {
                    patch.insert(field.clone(), Value::Object(below));
                }
            }
            Some(_) => {}
        }
    }
}

/// Operations of a JSON patch, without those that would take something away.
fn operations_between(live: &Value, wanted: &Value, path: &str, operations: &mut Vec<Value>) {
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => {
            for (field, wanted) in wanted {
                let path = format!("{path}/{}", field.replace('~', "~0").replace('/', "~1"));
                match live.get(field) {
                    Some(live) => operations_between(live, wanted, &path, operations),
                    None => operations.push(json!({"op": "add", "path": path, "value": wanted})),
                }
            }
        }
        (Value::Array(live), Value::Array(wanted)) if live.len() == wanted.len() => {
            for (index, (live, wanted)) in live.iter().zip(wanted).enumerate() {
                operations_between(live, wanted, &format!("{path}/{index}"), operations);
            }
        }
        (live, wanted) if live == wanted => {}
        _ => operations.push(json!({"op": "replace", "path": path, "value": wanted})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upgrades_set_what_is_new_and_take_away_what_was_old() {
        let kind = |api_version: &str, spec: Value| json!({"apiVersion": api_version, "spec": spec});
        for (api_version, old, new, live, patch) in [
            (
                "v1",
                json!({"a": 1}),
                json!({"a": 2}),
                json!({"a": 1, "x": 1}),
                Some(json!({"spec": {"a": 2}})),
            ),
            (
                "v1",
                json!({"a": 1, "b": 1}),
                json!({"a": 1}),
                json!({"a": 1, "b": 1}),
                Some(json!({"spec": {"b": null}})),
            ),
            ("v1", json!({"a": 1}), json!({"a": 1}), json!({"a": 9}), Some(json!({"spec": {"a": 1}}))),
            (
                "v1",
                json!({"a": [{"n": 1}]}),
                json!({"a": [{"n": 1}]}),
                json!({"a": [{"n": 1, "d": 2}]}),
                None,
            ),
            // What others did to a custom resource stays.
            ("a.example/v1", json!({"a": 1}), json!({"a": 1}), json!({"a": 9}), None),
        ] {
            let found = upgrade(&kind(api_version, old), &kind(api_version, new), &kind(api_version, live));
            let found = found.map(|patch| match patch {
                Patch::Merge(patch) => patch,
                other => panic!("{other:?}"),
            });
            assert_eq!(found, patch);
        }
    }

    #[test]
    fn drift_of_definitions_is_put_right_without_taking_anything_away() {
        let kind = |spec: Value| json!({"apiVersion": "apiextensions.k8s.io/v1", "spec": spec});
        let (wanted, live) =
            (kind(json!({"a": 1, "b/c": 2, "l": [1, 2]})), kind(json!({"a": 3, "x": 1, "l": [1, 3]})));
        match drift(&wanted, &live) {
            Some(Patch::Json(operations)) => assert_eq!(
                operations,
                json!([
                    {"op": "replace", "path": "/spec/a", "value": 1},
                    {"op": "add", "path": "/spec/b~1c", "value": 2},
                    {"op": "replace", "path": "/spec/l/1", "value": 2},
                ])
            ),
            other => panic!("{other:?}"),
        }
        assert!(drift(&live, &live).is_none());
    }
}
