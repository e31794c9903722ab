//! Kubernetes' extensions of a schema: list types, keys of lists, map types.

use std::collections::HashSet;

use fbc_go::json;
use serde_json::Value;

use super::{invalid, invalid_text, not_supported, wrong_type};
use crate::error::FieldError;
use crate::object::ObjectFields;
use crate::schema::path::Path;
use crate::schema::work::Work;

pub(super) fn validate(schema: &Value, field: &Path<'_>, work: &Work, errors: &mut Vec<FieldError>) {
    let value_type = schema.text(&["type"]);
    let text = |name: &str| schema.get(name).and_then(Value::as_str);
    let type_field = || format!("{field}.type");
    if schema["x-kubernetes-preserve-unknown-fields"] == false {
        errors.push(invalid(
            &format!("{field}.x-kubernetes-preserve-unknown-fields"),
            "false",
            "must be true or undefined",
        ));
    }
    if let Some(map_type) = text("x-kubernetes-map-type") {
        if value_type != "object" {
            errors.push(wrong_type(
                &type_field(),
                value_type,
                "must be object if x-kubernetes-map-type is specified",
            ));
        }
        if !matches!(map_type, "atomic" | "granular") {
            errors.push(not_supported(
                &format!("{field}.x-kubernetes-map-type"),
                map_type,
                &["atomic", "granular"],
            ));
        }
    }
    let list_type = text("x-kubernetes-list-type");
    let list_type_field = || format!("{field}.x-kubernetes-list-type");
    if let Some(list_type) = list_type {
        if value_type != "array" {
            errors.push(wrong_type(
                &type_field(),
                value_type,
                "must be array if x-kubernetes-list-type is specified",
            ));
        } else if list_type == "set" {
            validate_set(schema, field, errors);
        }
        if !matches!(list_type, "atomic" | "set" | "map") {
            errors.push(not_supported(&list_type_field(), list_type, &["atomic", "set", "map"]));
        }
    }
    if !schema.list(&["x-kubernetes-list-map-keys"]).is_empty() && list_type != Some("map") {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        errors.push(wrong_type(&list_type_field(), list_type.unwrap_or_default(), detail));
    }
    if list_type == Some("map") {
        validate_keys(schema, field, work, errors);
    }
    if matches!(list_type, Some("map" | "set")) {
        validate_items(schema, field, list_type.unwrap_or_default(), errors);
    }
}

/// Elements of a set are compared as a whole.
fn validate_set(schema: &Value, field: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(items) = schema.get("items") else { return };
    let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let kind = |name: &str| items.get(name).and_then(Value::as_str);
    match items.text(&["type"]) {
        "array" if kind("x-kubernetes-list-type").is_some_and(|kind| kind != "atomic") => {
            let field = format!("{field}.items.x-kubernetes-list-type");
            errors.push(invalid_text(&field, items.text(&["x-kubernetes-list-type"]), detail));
        }
        "object" if kind("x-kubernetes-map-type") != Some("atomic") => {
            // The reference prints the list type here.
            let printed = kind("x-kubernetes-list-type").map_or("null".to_owned(), fbc_go::text::quote);
            errors.push(invalid(&format!("{field}.items.x-kubernetes-map-type"), printed, detail));
        }
        _ => {}
    }
}

fn validate_keys(schema: &Value, field: &Path<'_>, work: &Work, errors: &mut Vec<FieldError>) {
    let keys = schema.list(&["x-kubernetes-list-map-keys"]);
    let keys_field = || format!("{field}.x-kubernetes-list-map-keys");
    if keys.is_empty() {
        errors.push(FieldError::required(keys_field(), "must not be empty if x-kubernetes-list-type is map"));
    }
    let Some(items) = schema.get("items") else {
        errors.push(FieldError::required(
            format!("{field}.items"),
            "must have a schema if x-kubernetes-list-type is map",
        ));
        return;
    };
    let item_type = items.text(&["type"]);
    if item_type != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        errors.push(invalid_text(&format!("{field}.items.type"), item_type, detail));
        return;
    }
    let printed = || json::encode(&Value::Array(keys.to_vec()));
    let mut seen: HashSet<&Value> = HashSet::new();
    for written in keys {
        // Each error may show all keys.
        if work.is_used_up() {
            return;
        }
        let key = written.as_str().unwrap_or_default();
        match items.at(&["properties", key]) {
            None => {
                let detail = "entries must all be names of item properties";
                work.report(errors, invalid(&keys_field(), printed(), detail));
            }
            Some(property) if matches!(property.text(&["type"]), "array" | "object") => {
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                errors.push(invalid_text(
                    &format!("{field}.items.properties[{key}].type"),
                    item_type,
                    detail,
                ));
            }
            Some(_) => {}
        }
        if !seen.insert(written) {
            work.report(errors, invalid(&keys_field(), printed(), "must not contain duplicate entries"));
        }
    }
}

/// Elements of sets and lists with keys are never null, and their keys are always there.
fn validate_items(schema: &Value, field: &Path<'_>, list_type: &str, errors: &mut Vec<FieldError>) {
    let Some(items) = schema.get("items") else { return };
    if items["nullable"] == true {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.push(FieldError::forbidden(format!("{field}.items.nullable"), detail));
    }
    if list_type != "map" {
        return;
    }
    for key in schema.list(&["x-kubernetes-list-map-keys"]).iter().filter_map(Value::as_str) {
        let Some(property) = items.at(&["properties", key]) else { continue };
        let field = format!("{field}.items.properties[{key}]");
        let is_required = items.list(&["required"]).iter().any(|required| required == key);
        if !is_required && property.get("default").is_none() {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            errors.push(FieldError::required(format!("{field}.default"), detail));
        }
        if property["nullable"] == true {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.push(FieldError::forbidden(format!("{field}.nullable"), detail));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_that_are_shown_in_each_error_have_an_end() {
        let keys: Vec<String> = (0..1_000).map(|number| format!("k{number}")).collect();
        let schema = json!({
            "type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
        });
        let errors = |most: u64| {
            let (work, mut errors) = (Work::new(most), Vec::new());
            validate(&schema, &Path::Root, &work, &mut errors);
            (errors.len(), work.excess("spec").is_some())
        };
        assert_eq!(errors(u64::MAX), (1_000, false));
        // Each shows about eight thousand bytes.
        assert_eq!(errors(10_000), (5, true));
    }
}
