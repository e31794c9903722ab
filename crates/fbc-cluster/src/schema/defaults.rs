//! Filling in defaults, and dropping nulls where none may be.

use serde_json::Value;

use super::structural::Schema;

/// Sets what is absent and has a default. A null counts as absent unless it may be one.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/defaulting/algorithm.go`.
pub(crate) fn set_defaults(value: &mut Value, schema: &Schema) {
    if !schema.below.defaults {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, property) in &schema.properties {
                if let Some(default) = &property.default {
                    let is_set = fields.get(name).is_some_and(|value| !is_forbidden_null(value, property));
                    if !is_set {
                        fields.insert(name.clone(), default.clone());
                    }
                }
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    set_defaults(value, property);
                } else if let Some(additional) = &schema.additional {
                    fill(value, additional);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| fill(item, schema));
            }
        }
        _ => {}
    }
}

fn fill(value: &mut Value, schema: &Schema) {
    if is_forbidden_null(value, schema) {
        *value = schema.default.clone().unwrap_or_default();
    }
    set_defaults(value, schema);
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
