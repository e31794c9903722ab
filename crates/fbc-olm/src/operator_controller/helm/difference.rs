//! Patches between two versions of an object and the one on the cluster.
//!
//! Sources: `createPatch` of `helm/helm:pkg/kube/client.go` and of
//! `operator-framework/helm-operator-plugins:pkg/client/actionclient.go`.

use serde_json::{Value, json};

use fbc_cluster::api::Patch;
use fbc_cluster::apply::Shape;
use fbc_cluster::apply::patch::{PatchError, three_way_merge_patch, three_way_strategic_patch};
use fbc_cluster::kind::GroupVersionKind;
use fbc_cluster::object::ObjectFields;

/// The patch of an upgrade, if there is anything to change: what the new version has, without what only the old one
/// had. What others changed comes back for built-in kinds; definitions and custom resources keep it.
///
/// # Errors
/// An item of a list lacks the key that tells items apart.
pub(super) fn upgrade(old: &Value, new: &Value, live: &Value) -> Result<Option<Patch>, PatchError> {
    match strategic_shape(new) {
        Some(shape) => strategic(old, new, live, &shape),
        None => {
            let patch = three_way_merge_patch(old, new, old);
            Ok(has_members(&patch).then_some(Patch::Merge(patch)))
        }
    }
}

/// The patch that takes an object back to what the release says; what others added stays.
///
/// # Errors
/// An item of a list lacks the key that tells items apart.
pub(super) fn drift(wanted: &Value, live: &Value) -> Result<Option<Patch>, PatchError> {
    if let Some(shape) = strategic_shape(wanted) {
        return strategic(wanted, wanted, live, &shape);
    }
    let mut operations = Vec::new();
    operations_between(live, wanted, &mut String::new(), &mut operations);
    Ok((!operations.is_empty()).then_some(Patch::Json(Value::Array(operations))))
}

fn strategic(old: &Value, new: &Value, live: &Value, shape: &Shape) -> Result<Option<Patch>, PatchError> {
    let patch = three_way_strategic_patch(old, new, live, shape)?;
    Ok(has_members(&patch).then_some(Patch::Strategic(patch)))
}

fn has_members(patch: &Value) -> bool {
    patch.as_object().is_some_and(|members| !members.is_empty())
}

/// How lists of a kind merge: known of the built-in ones, but Helm does not look at those of definitions.
fn strategic_shape(object: &Value) -> Option<Shape> {
    let name = GroupVersionKind::of(object.api_version(), object.kind());
    if name.group == "apiextensions.k8s.io" {
        return None;
    }
    Shape::built_in(&name.group, &name.version, &name.kind)
}

/// Operations of a JSON patch, without those that would take something away. The path is the same afterwards.
fn operations_between(live: &Value, wanted: &Value, path: &mut String, operations: &mut Vec<Value>) {
    let length = path.len();
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => {
            for (field, wanted) in wanted {
                push_field(path, field);
                match live.get(field) {
                    Some(live) => operations_between(live, wanted, path, operations),
                    None => operations.push(json!({"op": "add", "path": path, "value": wanted})),
                }
                path.truncate(length);
            }
        }
        (Value::Array(live), Value::Array(wanted)) if live.len() == wanted.len() => {
            for (index, (live, wanted)) in live.iter().zip(wanted).enumerate() {
                path.push_str(&format!("/{index}"));
                operations_between(live, wanted, path, operations);
                path.truncate(length);
            }
        }
        (live, wanted) if live == wanted => {}
        _ => operations.push(json!({"op": "replace", "path": path, "value": wanted})),
    }
}

/// A field behind a path, as RFC 6901 writes it.
fn push_field(path: &mut String, field: &str) {
    path.push('/');
    for c in field.chars() {
        match c {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            _ => path.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upgrades_set_what_is_new_and_take_away_what_was_old() {
        let data = |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data});
        let custom = |data: Value| json!({"apiVersion": "a.example/v1", "kind": "A", "data": data});
        for (old, new, live, patch) in [
            (
                json!({"a": "1"}),
                json!({"a": "2"}),
                json!({"a": "1", "x": "1"}),
                Some(json!({"data": {"a": "2"}})),
            ),
            (
                json!({"a": "1", "b": "1"}),
                json!({"a": "1"}),
                json!({"a": "1", "b": "1"}),
                Some(json!({"data": {"b": null}})),
            ),
            (json!({"a": "1"}), json!({"a": "1"}), json!({"a": "9"}), Some(json!({"data": {"a": "1"}}))),
        ] {
            let found = upgrade(&data(old), &data(new), &data(live)).unwrap();
            let found = found.map(|patch| match patch {
                Patch::Strategic(patch) => patch,
                other => panic!("{other:?}"),
            });
            assert_eq!(found, patch);
        }
        // What others did to a custom resource stays.
        let (old, live) = (custom(json!({"a": "1"})), custom(json!({"a": "9"})));
        assert!(upgrade(&old, &old, &live).unwrap().is_none());
    }

    #[test]
    fn drift_of_definitions_is_put_right_without_taking_anything_away() {
        let kind = |spec: Value| json!({"apiVersion": "apiextensions.k8s.io/v1", "spec": spec});
        let (wanted, live) = (
            kind(json!({"a": 1, "b/c~d": 2, "l": [1, 2], "m": {"n": 4}})),
            kind(json!({"a": 3, "x": 1, "l": [1, 3], "m": {}})),
        );
        match drift(&wanted, &live).unwrap() {
            Some(Patch::Json(operations)) => assert_eq!(
                operations,
                json!([
                    {"op": "replace", "path": "/spec/a", "value": 1},
                    {"op": "add", "path": "/spec/b~1c~0d", "value": 2},
                    {"op": "replace", "path": "/spec/l/1", "value": 2},
                    {"op": "add", "path": "/spec/m/n", "value": 4},
                ])
            ),
            other => panic!("{other:?}"),
        }
        assert!(drift(&live, &live).unwrap().is_none());
    }
}
