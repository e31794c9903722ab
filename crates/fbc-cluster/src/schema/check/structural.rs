//! Whether a schema is structural: everything that shapes objects stands outside of `allOf`, `anyOf`, `oneOf` and `not`.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/validation.go`.

use serde_json::{Value, json};

use super::{invalid, invalid_text, wrong_type};
use crate::error::FieldError;
use crate::object::ObjectFields;
use fbc_go::regexp;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// What is not structural, sorted by text.
pub(crate) fn validate(schema: &Value, field: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    invariants(schema, Level::Root, field, &mut errors);
    complete(schema, schema, field, field, &mut errors);
    errors.sort_by_key(ToString::to_string);
    errors
}

fn flag(schema: &Value, name: &str) -> bool {
    schema[name] == true
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn part<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    schema.get(name).filter(|part| part.is_object())
}

fn invariants(schema: &Value, level: Level, field: &str, errors: &mut Vec<FieldError>) {
    let value_type = schema.text(&["type"]);
    if value_type == "array" && schema.get("items").is_none() {
        errors.push(FieldError::required(format!("{field}.items"), "must be specified"));
    }
    if let Some(items) = part(schema, "items") {
        invariants(items, Level::Item, &format!("{field}.items"), errors);
    }
    for (name, property) in properties(schema) {
        invariants(property, Level::Field, &format!("{field}.properties[{name}]"), errors);
    }
    let additional = format!("{field}.additionalProperties");
    if level == Level::Root && schema.get("additionalProperties").is_some() {
        errors.push(FieldError::forbidden(additional.clone(), "must not be used at the root"));
    }
    if let Some(schema) = part(schema, "additionalProperties") {
        invariants(schema, Level::Field, &additional, errors);
    }
    let embedded = flag(schema, "x-kubernetes-embedded-resource");
    let int_or_string = flag(schema, "x-kubernetes-int-or-string");
    let preserves = flag(schema, "x-kubernetes-preserve-unknown-fields");
    for (other, is_set) in [("preserve-unknown-fields", preserves), ("embedded-resource", embedded)] {
        if int_or_string && is_set {
            let detail = "must be false if x-kubernetes-int-or-string is true";
            errors.push(invalid(&format!("{field}.x-kubernetes-{other}"), "true", detail));
        }
    }
    combinators(
        schema,
        is_either(schema.get("anyOf")),
        is_either(schema.at(&["allOf"]).and_then(|all| all.get(0)?.get("anyOf"))),
        field,
        errors,
    );
    let type_field = format!("{field}.type");
    if embedded && value_type != "object" {
        errors.push(wrong_type(
            &type_field,
            value_type,
            "must be object if x-kubernetes-embedded-resource is true",
        ));
    } else if value_type.is_empty() && !int_or_string && !preserves {
        let place = match level {
            Level::Root => "at the root",
            Level::Item => "for specified array items",
            Level::Field => "for specified object fields",
        };
        errors.push(FieldError::required(type_field.clone(), format!("must not be empty {place}")));
    }
    if embedded && schema.get("additionalProperties").is_some() {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.push(FieldError::forbidden(additional, detail));
    }
    if level == Level::Root && !value_type.is_empty() && value_type != "object" {
        errors.push(invalid_text(&type_field, value_type, "must be object at the root"));
    }
    if level == Level::Root || embedded {
        whole_object(schema, level, field, errors);
    }
    if embedded && !preserves && properties(schema).next().is_none() {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(format!("{field}.properties"), detail));
    }
}

/// `apiVersion`, `kind` and `metadata` are what they are everywhere.
fn whole_object(schema: &Value, level: Level, field: &str, errors: &mut Vec<FieldError>) {
    for (name, wanted) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let Some(property) = schema.at(&["properties", name]) else { continue };
        let field = format!("{field}.properties[{name}]");
        if property.text(&["type"]) != wanted {
            errors.push(invalid_text(
                &format!("{field}.type"),
                property.text(&["type"]),
                format!("must be {wanted}"),
            ));
        }
        if name == "metadata" && level == Level::Root {
            let says_more =
                property.as_object().into_iter().flatten().any(|(key, value)| match key.as_str() {
                    "type" | "description" | "title" | "default" => false,
                    "properties" => properties(property)
                        .any(|(name, _)| !matches!(name.as_str(), "name" | "generateName")),
                    _ => !value.is_null() && *value != false,
                });
            if says_more {
                let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
                errors.push(FieldError::forbidden(field, detail));
            }
        }
    }
}

/// The two forms that `x-kubernetes-int-or-string` may have besides.
fn is_either(any_of: Option<&Value>) -> bool {
    any_of == Some(&json!([{"type": "integer"}, {"type": "string"}]))
}

const JUNCTORS: [&str; 3] = ["anyOf", "allOf", "oneOf"];

fn combinators(
    schema: &Value,
    skip_any: bool,
    skip_first_all: bool,
    field: &str,
    errors: &mut Vec<FieldError>,
) {
    for junctor in JUNCTORS {
        if junctor == "anyOf" && skip_any {
            continue;
        }
        for (index, nested) in schema.list(&[junctor]).iter().enumerate() {
            let skip_any = junctor == "allOf" && skip_first_all && index == 0;
            nested_invariants(nested, skip_any, &format!("{field}.{junctor}[{index}]"), errors);
        }
    }
    if let Some(not) = part(schema, "not") {
        nested_invariants(not, false, &format!("{field}.not"), errors);
    }
    let pattern = schema.text(&["pattern"]);
    if let Some(fault) = regexp::fault(pattern).filter(|_| !pattern.is_empty()) {
        let detail = format!("must be a valid regular expression, but isn't: {fault}");
        errors.push(invalid_text(&format!("{field}.pattern"), pattern, detail));
    }
}

fn nested_invariants(schema: &Value, skip_any: bool, field: &str, errors: &mut Vec<FieldError>) {
    combinators(schema, skip_any, false, field, errors);
    if let Some(items) = part(schema, "items") {
        nested_invariants(items, false, &format!("{field}.items"), errors);
    }
    for (name, property) in properties(schema) {
        nested_invariants(property, false, &format!("{field}.properties[{name}]"), errors);
    }
    for (name, detail) in [
        ("type", "must be empty to be structural"),
        ("additionalProperties", "must be undefined to be structural"),
        ("default", "must be undefined to be structural"),
        ("title", "must be empty to be structural"),
        ("description", "must be empty to be structural"),
        ("nullable", "must be false to be structural"),
        ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
        ("x-kubernetes-embedded-resource", "must be false to be structural"),
        ("x-kubernetes-int-or-string", "must be false to be structural"),
        ("x-kubernetes-list-map-keys", "must be empty to be structural"),
        ("x-kubernetes-list-type", "must be undefined to be structural"),
        ("x-kubernetes-map-type", "must be undefined to be structural"),
        ("x-kubernetes-validations", "must be empty to be structural"),
    ] {
        let is_set = schema.get(name).is_some_and(|value| match value {
            Value::Null | Value::Bool(false) => name == "additionalProperties",
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        });
        if is_set {
            errors.push(FieldError::forbidden(format!("{field}.{name}"), detail));
        }
    }
    if schema.at(&["properties", "metadata"]).is_some() {
        let detail = "must not be specified in a nested context";
        errors.push(FieldError::forbidden(format!("{field}.properties[metadata]"), detail));
    }
}

/// What a nested context at the root names must be there outside as well.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/complete.go`.
fn complete(nested: &Value, outside: &Value, field: &str, nested_field: &str, errors: &mut Vec<FieldError>) {
    if let Some(not) = part(nested, "not") {
        complete_nested(not, Some(outside), field, &format!("{nested_field}.not"), errors);
    }
    for junctor in ["allOf", "anyOf", "oneOf"] {
        for (index, inner) in nested.list(&[junctor]).iter().enumerate() {
            complete_nested(
                inner,
                Some(outside),
                field,
                &format!("{nested_field}.{junctor}[{index}]"),
                errors,
            );
        }
    }
}

fn complete_nested(
    nested: &Value,
    outside: Option<&Value>,
    field: &str,
    nested_field: &str,
    errors: &mut Vec<FieldError>,
) {
    let Some(outside) = outside else {
        errors.push(FieldError::required(field, format!("because it is defined in {nested_field}")));
        return;
    };
    complete(nested, outside, field, nested_field, errors);
    if let Some(items) = part(nested, "items") {
        let (field, nested_field) = (format!("{field}.items"), format!("{nested_field}.items"));
        complete_nested(items, part(outside, "items"), &field, &nested_field, errors);
    }
    for (name, property) in properties(nested) {
        let place = |field: &str| format!("{field}.properties[{name}]");
        complete_nested(
            property,
            outside.at(&["properties", name]),
            &place(field),
            &place(nested_field),
            errors,
        );
    }
}
