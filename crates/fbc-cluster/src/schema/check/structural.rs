//! Whether a schema is structural: everything that shapes objects stands outside of `allOf`, `anyOf`, `oneOf` and `not`.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/validation.go`.

use fbc_go::regexp;
use serde_json::Value;

use super::{invalid, invalid_text, wrong_type};
use crate::error::FieldError;
use crate::object::ObjectFields;
use crate::schema::path::Path;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// What is not structural, sorted by text.
pub(crate) fn validate(schema: &Value, field: &Path<'_>) -> Vec<FieldError> {
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

fn invariants(schema: &Value, level: Level, field: &Path<'_>, errors: &mut Vec<FieldError>) {
    let value_type = schema.text(&["type"]);
    if value_type == "array" && schema.get("items").is_none() {
        errors.push(FieldError::required(format!("{field}.items"), "must be specified"));
    }
    if let Some(items) = part(schema, "items") {
        invariants(items, Level::Item, &Path::Field(field, "items"), errors);
    }
    for (name, property) in properties(schema) {
        invariants(property, Level::Field, &Path::Key(&Path::Field(field, "properties"), name), errors);
    }
    let additional = Path::Field(field, "additionalProperties");
    if level == Level::Root && schema.get("additionalProperties").is_some() {
        errors.push(FieldError::forbidden(additional.field(), "must not be used at the root"));
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
    let type_field = || format!("{field}.type");
    if embedded && value_type != "object" {
        errors.push(wrong_type(
            &type_field(),
            value_type,
            "must be object if x-kubernetes-embedded-resource is true",
        ));
    } else if value_type.is_empty() && !int_or_string && !preserves {
        let place = match level {
            Level::Root => "at the root",
            Level::Item => "for specified array items",
            Level::Field => "for specified object fields",
        };
        errors.push(FieldError::required(type_field(), format!("must not be empty {place}")));
    }
    if embedded && schema.get("additionalProperties").is_some() {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.push(FieldError::forbidden(additional.field(), detail));
    }
    if level == Level::Root && !value_type.is_empty() && value_type != "object" {
        errors.push(invalid_text(&type_field(), value_type, "must be object at the root"));
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
fn whole_object(schema: &Value, level: Level, field: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (name, wanted) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let Some(property) = schema.at(&["properties", name]) else { continue };
        let parent = Path::Field(field, "properties");
        let field = Path::Key(&parent, name);
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
                errors.push(FieldError::forbidden(field.field(), detail));
            }
        }
    }
}

/// The two forms that `x-kubernetes-int-or-string` may have besides.
fn is_either(any_of: Option<&Value>) -> bool {
    let Some(Value::Array(either)) = any_of else { return false };
    let is_only = |schema: &Value, value_type: &str| {
        schema.as_object().is_some_and(|members| members.len() == 1) && schema["type"] == value_type
    };
    matches!(&either[..], [first, second] if is_only(first, "integer") && is_only(second, "string"))
}

const JUNCTORS: [&str; 3] = ["anyOf", "allOf", "oneOf"];

fn combinators(
    schema: &Value,
    skip_any: bool,
    skip_first_all: bool,
    field: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    for junctor in JUNCTORS {
        if junctor == "anyOf" && skip_any {
            continue;
        }
        for (index, nested) in schema.list(&[junctor]).iter().enumerate() {
            let skip_any = junctor == "allOf" && skip_first_all && index == 0;
            nested_invariants(nested, skip_any, &Path::Index(&Path::Field(field, junctor), index), errors);
        }
    }
    if let Some(not) = part(schema, "not") {
        nested_invariants(not, false, &Path::Field(field, "not"), errors);
    }
    let pattern = schema.text(&["pattern"]);
    if let Some(fault) = regexp::fault(pattern).filter(|_| !pattern.is_empty()) {
        let detail = format!("must be a valid regular expression, but isn't: {fault}");
        errors.push(invalid_text(&format!("{field}.pattern"), pattern, detail));
    }
}

fn nested_invariants(schema: &Value, skip_any: bool, field: &Path<'_>, errors: &mut Vec<FieldError>) {
    combinators(schema, skip_any, false, field, errors);
    if let Some(items) = part(schema, "items") {
        nested_invariants(items, false, &Path::Field(field, "items"), errors);
    }
    for (name, property) in properties(schema) {
        nested_invariants(property, false, &Path::Key(&Path::Field(field, "properties"), name), errors);
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
fn complete(
    nested: &Value,
    outside: &Value,
    field: &Path<'_>,
    nested_field: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(not) = part(nested, "not") {
        complete_nested(not, Some(outside), field, &Path::Field(nested_field, "not"), errors);
    }
    for junctor in ["allOf", "anyOf", "oneOf"] {
        for (index, inner) in nested.list(&[junctor]).iter().enumerate() {
            complete_nested(
                inner,
                Some(outside),
                field,
                &Path::Index(&Path::Field(nested_field, junctor), index),
                errors,
            );
        }
    }
}

fn complete_nested(
    nested: &Value,
    outside: Option<&Value>,
    field: &Path<'_>,
    nested_field: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let Some(outside) = outside else {
        errors.push(FieldError::required(field.field(), format!("because it is defined in {nested_field}")));
        return;
    };
    complete(nested, outside, field, nested_field, errors);
    if let Some(items) = part(nested, "items") {
        let (field, nested_field) = (Path::Field(field, "items"), Path::Field(nested_field, "items"));
        complete_nested(items, part(outside, "items"), &field, &nested_field, errors);
    }
    for (name, property) in properties(nested) {
        let (field, nested_field) =
            (Path::Field(field, "properties"), Path::Field(nested_field, "properties"));
        complete_nested(
            property,
            outside.at(&["properties", name]),
            &Path::Key(&field, name),
            &Path::Key(&nested_field, name),
            errors,
        );
    }
}
