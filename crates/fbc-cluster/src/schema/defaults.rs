//! Filling in defaults, and dropping nulls where none may be.

use serde_json::Value;

use super::structural::Schema;
use crate::budget::{Size, TooLarge};

/// Sets what is absent and has a default. A null counts as absent unless it may be one. What is set takes of the room that is
/// left, in bytes of JSON: the elements of a list and the defaults of their schema multiply.
///
/// # Errors
/// There is no room for a default; the value has only some of them then.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/defaulting/algorithm.go`.
pub(crate) fn set_defaults(value: &mut Value, schema: &Schema, room: &mut u64) -> Result<(), TooLarge> {
    if !schema.below.defaults {
        return Ok(());
    }
    match value {
        Value::Object(fields) => {
            for name in &schema.defaulted {
                let Some((property, default)) = schema
                    .properties
                    .get(name)
                    .and_then(|property| Some((property, property.default.as_ref()?)))
                else {
                    continue;
                };
                let is_set = fields.get(name).is_some_and(|value| !is_forbidden_null(value, property));
                if !is_set {
                    take(room, name.len() as u64 + Size::of(default).json)?;
                    fields.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    set_defaults(value, property, room)?;
                } else if let Some(additional) = &schema.additional {
                    fill(value, additional, room)?;
                }
            }
            Ok(())
        }
        Value::Array(items) => match &schema.items {
            Some(schema) => items.iter_mut().try_for_each(|item| fill(item, schema, room)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn fill(value: &mut Value, schema: &Schema, room: &mut u64) -> Result<(), TooLarge> {
    if is_forbidden_null(value, schema)
        && let Some(default) = &schema.default
    {
        take(room, Size::of(default).json)?;
        *value = default.clone();
    }
    set_defaults(value, schema, room)
}

fn take(room: &mut u64, bytes: u64) -> Result<(), TooLarge> {
    *room = room.checked_sub(bytes).ok_or(TooLarge)?;
    Ok(())
}

/// Removes fields that are null, may not be, and have no default.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/defaulting/prunenulls.go`.
pub(crate) fn drop_nulls(value: &mut Value, schema: &Schema) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let part = schema.properties.get(name).or(schema.additional.as_deref());
            let Some(part) = part else { return true };
            let keeps = !is_forbidden_null(value, part) || part.default.is_some();
            if keeps {
                drop_nulls(value, part);
            }
            keeps
        }),
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| drop_nulls(item, schema));
            }
        }
        _ => {}
    }
}

fn is_forbidden_null(value: &Value, schema: &Schema) -> bool {
    value.is_null() && !schema.nullable
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn defaults_stop_where_the_room_ends() {
        let schema = Schema::of_part(&json!({
            "type": "object", "properties": {
                "list": {"type": "array", "items": {"type": "object", "properties": {
                    "a": {"type": "string", "default": "x".repeat(100)}, "b": {"type": "string"},
                }}},
                "map": {"type": "object", "additionalProperties": {"type": "object", "default": {"c": 1}}},
            },
        }));
        let filled = |count: usize, mut room: u64| {
            let mut value = json!({"list": vec![json!({}); count], "map": {"n": null}});
            let result = set_defaults(&mut value, &schema, &mut room);
            let set = value["list"].as_array().into_iter().flatten().filter(|item| item.get("a").is_some());
            (result, set.count(), value["map"]["n"].clone(), room)
        };
        // A text of 100 bytes has two quotes and a name of one byte, and the map takes eleven.
        assert_eq!(filled(3, 3 * 103 + 11), (Ok(()), 3, json!({"c": 1}), 0));
        assert_eq!(filled(3, 3 * 103 + 10), (Err(TooLarge), 3, Value::Null, 10));
        assert_eq!(filled(1_000, 10 * 103 + 50), (Err(TooLarge), 10, Value::Null, 50));
    }
}
