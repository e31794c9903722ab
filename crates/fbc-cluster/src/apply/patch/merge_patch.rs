//! JSON merge patches (RFC 7386), and the one that `kubectl apply` makes for custom kinds.

use serde_json::{Map, Value};

/// Applies a merge patch.
pub fn merge_patch(object: Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut members = match object {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    for (name, change) in changes {
        if change.is_null() {
            members.remove(name);
        } else {
            let before = members.remove(name).unwrap_or_default();
            members.insert(name.clone(), merge_patch(before, change));
        }
    }
    Value::Object(members)
}

/// The merge patch that brings `current` to `wanted`, and takes away what only `last` wanted.
///
/// Source: `kubernetes/apimachinery:pkg/util/jsonmergepatch/patch.go`.
pub fn three_way_merge_patch(last: &Value, wanted: &Value, current: &Value) -> Value {
    let mut patch = changes(current, wanted);
    add_deletions(&mut patch, last, wanted);
    Value::Object(patch)
}

/// What is to be set; nothing is taken away, and nulls of `wanted` stay.
fn changes(current: &Value, wanted: &Value) -> Map<String, Value> {
    let mut patch = Map::new();
    for (name, wanted) in wanted.as_object().into_iter().flatten() {
        match current.get(name) {
            Some(current) if current.is_object() && wanted.is_object() => {
                let below = changes(current, wanted);
                if !below.is_empty() {
                    patch.insert(name.clone(), Value::Object(below));
                }
            }
            Some(current) if current == wanted => {}
            None if wanted.is_null() => {}
            _ => {
                patch.insert(name.clone(), wanted.clone());
            }
        }
    }
    patch
}

fn add_deletions(patch: &mut Map<String, Value>, last: &Value, wanted: &Value) {
    for (name, last) in last.as_object().into_iter().flatten() {
        match wanted.get(name) {
            None => {
                patch.insert(name.clone(), Value::Null);
            }
            Some(wanted) if last.is_object() && wanted.is_object() => {
                let mut below = match patch.remove(name) {
                    Some(Value::Object(below)) => below,
                    Some(other) => {
                        patch.insert(name.clone(), other);
                        continue;
                    }
                    None => Map::new(),
                };
                add_deletions(&mut below, last, wanted);
                if !below.is_empty() {
                    patch.insert(name.clone(), Value::Object(below));
                }
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patches_of_the_rfc() {
        for (object, patch, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            assert_eq!(merge_patch(object, &patch), expected);
        }
    }

    #[test]
    fn three_ways_set_and_take_away() {
        let patch = three_way_merge_patch(
            &json!({"spec": {"a": 1, "b": 2}, "gone": {"x": 1}}),
            &json!({"spec": {"a": 3}}),
            &json!({"spec": {"a": 1, "b": 2, "other": 5}, "gone": {"x": 1}}),
        );
        assert_eq!(patch, json!({"spec": {"a": 3, "b": null}, "gone": null}));
    }
}
