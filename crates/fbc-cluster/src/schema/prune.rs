//! Removing fields that a schema does not know, and listing them.

use serde_json::Value;

use super::structural::Schema;

/// Fields that every whole object has.
const OF_EVERY_OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes unknown fields of a whole object; their paths are recorded, sorted, if wanted.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/pruning/algorithm.go`.
pub(crate) fn prune(
    object: &mut Value,
    schema: &Schema,
    is_resource: bool,
    unknown: Option<&mut Vec<String>>,
) {
    let mut walk = Pruning { path: String::new(), recorded: 0, unknown };
    walk.prune(object, Some(schema), is_resource || schema.embedded);
    if let Some(unknown) = walk.unknown {
        unknown.sort();
    }
}

/// The bytes of all paths of unknown fields that are told; the paths of many fields in a deep place have no end. A real API
/// server tells all.
pub const UNKNOWN_FIELD_BYTES: usize = 1 << 20;

struct Pruning<'u> {
    path: String,
    /// The bytes of the paths that were recorded.
    recorded: usize,
    unknown: Option<&'u mut Vec<String>>,
}

impl Pruning<'_> {
    fn prune(&mut self, value: &mut Value, schema: Option<&Schema>, is_resource: bool) {
        if let Some(schema) = schema.filter(|schema| schema.preserve_unknown) {
            self.keep(value, schema, is_resource);
            return;
        }
        match value {
            Value::Object(fields) => {
                let at_root = self.path.is_empty();
                fields.retain(|name, value| {
                    let of_every_object = OF_EVERY_OBJECT.contains(&name.as_str());
                    if is_resource && of_every_object {
                        return true;
                    }
                    let part = schema.and_then(|schema| {
                        schema.properties.get(name).map(Some).or_else(|| match &schema.additional {
                            Some(additional) => Some(Some(&**additional)),
                            None => schema.additional_allowed.then_some(None),
                        })
                    });
                    match part {
                        Some(part) => {
                            self.within(name, |walk| {
                                walk.prune(value, part, part.is_some_and(|part| part.embedded))
                            });
                            true
                        }
                        None => {
                            if schema.is_none() || !of_every_object || !at_root {
                                self.record(name);
                            }
                            false
                        }
                    }
                });
            }
            Value::Array(items) => {
                let part = schema.and_then(|schema| schema.items.as_deref());
                for (index, item) in items.iter_mut().enumerate() {
                    self.within_index(index, |walk| {
                        walk.prune(item, part, part.is_some_and(|part| part.embedded))
                    });
                }
            }
            _ => {}
        }
    }

    /// Within a place that keeps unknown fields, only known fields are looked into.
    fn keep(&mut self, value: &mut Value, schema: &Schema, is_resource: bool) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    if is_resource && OF_EVERY_OBJECT.contains(&name.as_str()) {
                        continue;
                    }
                    if let Some(part) = schema.properties.get(name).or(schema.additional.as_deref()) {
                        self.within(name, |walk| walk.prune(value, Some(part), part.embedded));
                    }
                }
            }
            Value::Array(items) => {
                if let Some(part) = schema.items.as_deref() {
                    for (index, item) in items.iter_mut().enumerate() {
                        self.within_index(index, |walk| walk.keep(item, part, part.embedded));
                    }
                }
            }
            _ => {}
        }
    }

    fn within(&mut self, name: &str, walk: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if self.unknown.is_some() {
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(name);
        } else if length == 0 {
            // Only whether this is the root is asked for.
            self.path.push('.');
        }
        walk(self);
        self.path.truncate(length);
    }

    fn within_index(&mut self, index: usize, walk: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if self.unknown.is_some() {
            self.path.push_str(&format!("[{index}]"));
        }
        walk(self);
        self.path.truncate(length);
    }

    fn record(&mut self, name: &str) {
        if let Some(unknown) = &mut self.unknown
            && self.recorded < UNKNOWN_FIELD_BYTES
        {
            self.recorded += self.path.len() + name.len();
            let dot = if self.path.is_empty() { "" } else { "." };
            unknown.push(format!("{}{dot}{name}", self.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_of_unknown_fields_have_an_end() {
        let name = "n".repeat(64 << 10);
        let schema = Schema::of_part(&json!({"properties": {&name: {"type": "object"}}}));
        let unknown: serde_json::Map<String, Value> =
            (0..100).map(|number| (number.to_string(), json!(1))).collect();
        let mut paths = Vec::new();
        prune(&mut json!({&name: unknown}), &schema, true, Some(&mut paths));
        assert_eq!(paths.len(), UNKNOWN_FIELD_BYTES / name.len());
    }
}
