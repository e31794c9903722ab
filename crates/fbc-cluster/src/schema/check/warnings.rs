//! What the API server warns about when a definition is written.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go`.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use serde_json::Value;

use crate::object::{Object, ObjectFields};
use crate::schema::format::Format;

/// The warnings about a definition; on an update, those that the old one did not have.
pub fn warnings(object: &Object, old: Option<&Object>) -> Vec<String> {
    let known = old.map(all).unwrap_or_default();
    all(object).into_iter().filter(|warning| !known.contains(warning)).collect()
}

/// Formats first, each kind sorted.
fn all(object: &Object) -> Vec<String> {
    let (mut formats, mut sets) = (BTreeSet::new(), BTreeSet::new());
    for version in object.list(&["spec", "versions"]) {
        if let Some(schema) = version.at(&["schema", "openAPIV3Schema"]) {
            collect(schema, &mut formats, &mut sets);
        }
    }
    formats.into_iter().chain(sets).collect()
}

fn collect(schema: &Value, formats: &mut BTreeSet<String>, sets: &mut BTreeSet<String>) {
    let format = schema.text(&["format"]);
    let fits = Format::read(format).is_some_and(|format| match schema.text(&["type"]) {
        "integer" => format.is_of_whole_numbers(),
        "number" => format.is_of_numbers(),
        "" | "string" => format.is_of_text(),
        _ => false,
    });
    if !format.is_empty() && !fits {
        formats.insert(format!("unrecognized format {}", quote(format)));
    }
    let item_type = schema.text(&["items", "type"]);
    if schema.text(&["x-kubernetes-list-type"]) == "set" && matches!(item_type, "object" | "array") {
        sets.insert(format!(
            "x-kubernetes-list-type: set for items of type {} is not supported by server-side apply or CEL validation rules",
            quote(item_type)
        ));
    }
    let parts = ["items", "additionalProperties", "not"].into_iter().filter_map(|name| schema.get(name));
    let listed = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|name| schema.list(&[name]));
    let properties =
        schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(_, part)| part);
    parts
        .chain(listed)
        .chain(properties)
        .filter(|part| part.is_object())
        .for_each(|part| collect(part, formats, sets));
}
