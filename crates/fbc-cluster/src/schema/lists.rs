//! Lists whose elements must differ: sets, and lists with keys.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::go_value::go_value;
use super::path::Path;
use super::structural::{ListType, Schema};
use super::work::Work;
use crate::error::{FieldError, FieldReason};

/// Reports every element, or key of an element, that is there before; the first repetition only.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/listtype/validation.go`.
pub(crate) fn duplicates(
    value: &Value,
    schema: &Schema,
    path: &Path<'_>,
    work: &Work,
    errors: &mut Vec<FieldError>,
) {
    if !schema.below.keyed_lists {
        return;
    }
    match value {
        Value::Object(fields) => {
            if let Some(additional) = &schema.additional {
                for (key, value) in fields {
                    duplicates(value, additional, &Path::Key(path, key), work, errors);
                }
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    duplicates(value, property, &Path::Field(path, name), work, errors);
                }
            }
        }
        Value::Array(items) => {
            match schema.list_type {
                Some(ListType::Set) => repeated(items.iter().collect(), path, work, errors),
                Some(ListType::Map) => repeated_keys(items, &schema.list_map_keys, path, work, errors),
                _ => {}
            }
            if let Some(schema) = &schema.items {
                for (index, item) in items.iter().enumerate() {
                    duplicates(item, schema, &Path::Index(path, index), work, errors);
                }
            }
        }
        _ => {}
    }
}

fn repeated(values: Vec<&Value>, path: &Path<'_>, work: &Work, errors: &mut Vec<FieldError>) {
    let mut seen: HashMap<&Value, usize> = HashMap::with_capacity(values.len());
    for (index, value) in values.into_iter().enumerate() {
        let count = seen.entry(value).or_default();
        *count += 1;
        if *count == 2 {
            let field = Path::Index(path, index).field();
            work.report(errors, FieldError::new(field, FieldReason::Duplicate, go_value(value), ""));
        }
    }
}

fn repeated_keys(
    items: &[Value],
    keys: &[String],
    path: &Path<'_>,
    work: &Work,
    errors: &mut Vec<FieldError>,
) {
    if let Some((index, item)) =
        items.iter().enumerate().find(|(_, item)| !item.is_object() && !item.is_null())
    {
        let field = Path::Index(path, index).field();
        let detail = "must be an object for an array of list-type map";
        work.report(errors, FieldError::new(field, FieldReason::Invalid, go_value(item), detail));
        return;
    }
    if items.len() <= 1 {
        return;
    }
    let key_of = |item: &Value| {
        let fields = keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
        Value::Object(fields.collect::<Map<_, _>>())
    };
    let found: Vec<Value> = items.iter().map(key_of).collect();
    repeated(found.iter().collect(), path, work, errors);
}
