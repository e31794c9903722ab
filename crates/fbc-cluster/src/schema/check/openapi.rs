//! Which parts of OpenAPI a schema may use; rules are compiled where nothing is wrong at their place or below.

use serde_json::Value;

use super::costs::{self, Costs};
use super::{extensions, not_supported, rules};
use crate::error::FieldError;
use crate::object::ObjectFields;
use crate::schema::path::Path;
use crate::schema::structural::Schema;
use crate::schema::work::Work;

/// What the places above a schema say about it.
#[derive(Clone, Copy)]
pub(super) struct Context<'c> {
    /// Why defaults are forbidden, if they are.
    forbidden_defaults: Option<&'c str>,
    is_root: bool,
    in_metadata: bool,
    /// The nearest list or map around whose parts cannot be found again in an old object.
    pub(super) uncorrelatable: Option<&'c Path<'c>>,
    /// The compiled schema of the place, if rules can be compiled.
    pub(super) compiled: Option<&'c Schema>,
    /// How often the place is there at most; nothing if a list or map around has no limit.
    pub(super) count: Option<u64>,
    /// What errors may take that show a whole list each.
    work: &'c Work,
}

/// Errors of schemas, and those of rules, which come after them.
#[derive(Default)]
pub(super) struct Found {
    pub(super) of_schema: Vec<FieldError>,
    pub(super) of_rules: Vec<FieldError>,
    pub(super) costs: Costs,
}

impl Found {
    fn extend(&mut self, other: Self) {
        self.of_schema.extend(other.of_schema);
        self.of_rules.extend(other.of_rules);
        self.costs.extend(other.costs);
    }
}

/// Validates the schema of a whole object; a structural one is compiled.
pub(super) fn validate(
    schema: &Value,
    field: &Path<'_>,
    compiled: Option<&Schema>,
    errors: &mut Vec<FieldError>,
) {
    let work = Work::of_request();
    let context = Context {
        forbidden_defaults: None,
        is_root: true,
        in_metadata: false,
        uncorrelatable: None,
        compiled,
        count: Some(1),
        work: &work,
    };
    let found = place(schema, field, context);
    errors.extend(work.excess(&field.to_string()));
    errors.extend(found.of_schema);
    errors.extend(found.of_rules);
    errors.extend(found.costs.excess(field));
}

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const UNSUPPORTED: [(&str, &str); 6] = [
    ("id", "id is not supported"),
    ("additionalItems", "additionalItems is not supported"),
    ("patternProperties", "patternProperties is not supported"),
    ("definitions", "definitions is not supported"),
    ("dependencies", "dependencies is not supported"),
    ("$ref", "$ref is not supported"),
];

fn place(schema: &Value, field: &Path<'_>, context: Context<'_>) -> Found {
    let mut found = Found::default();
    standard(schema, field, context, &mut found.of_schema);
    if schema["uniqueItems"] == true {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        found.of_schema.push(FieldError::forbidden(format!("{field}.uniqueItems"), detail));
    }
    let count =
        context.count.zip(costs::most_parts(schema)).map(|(count, parts)| count.saturating_mul(parts));
    let below = Context { is_root: false, count, ..context };
    if let Some(additional) = schema.get("additionalProperties") {
        let field = Path::Field(field, "additionalProperties");
        let has_properties =
            schema.get("properties").and_then(Value::as_object).is_some_and(|some| !some.is_empty());
        if has_properties && *additional != true {
            let detail = "additionalProperties and properties are mutual exclusive";
            found.of_schema.push(FieldError::forbidden(field.field(), detail));
        }
        if additional.is_object() {
            let forbidden =
                context.in_metadata.then_some("inside additionalProperties applying to object metadata");
            let context = Context {
                forbidden_defaults: forbidden.or(context.forbidden_defaults),
                compiled: context.compiled.and_then(|schema| schema.additional.as_deref()),
                ..below
            };
            found.extend(place(additional, &field, context));
        }
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let of_every_object = matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        let is_resource = context.is_root || schema["x-kubernetes-embedded-resource"] == true;
        let reason = format!("in top-level {name}");
        let context = Context {
            in_metadata: context.in_metadata || is_resource && of_every_object,
            forbidden_defaults: if context.is_root && of_every_object {
                Some(&reason)
            } else {
                context.forbidden_defaults
            },
            compiled: context.compiled.and_then(|schema| schema.properties.get(name)),
            ..below
        };
        found.extend(place(property, &Path::Key(&Path::Field(field, "properties"), name), context));
    }
    let nested = Context { compiled: None, ..below };
    if let Some(not) = schema.get("not").filter(|not| not.is_object()) {
        found.extend(place(not, &Path::Field(field, "not"), nested));
    }
    for junctor in ["allOf", "oneOf", "anyOf"] {
        for (index, schema) in schema.list(&[junctor]).iter().enumerate() {
            found.extend(place(schema, &Path::Index(&Path::Field(field, junctor), index), nested));
        }
    }
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        let is_keyed = schema.text(&["x-kubernetes-list-type"]) == "map";
        let context = Context {
            uncorrelatable: context.uncorrelatable.or((!is_keyed).then_some(field)),
            compiled: context.compiled.and_then(|schema| schema.items.as_deref()),
            ..below
        };
        found.extend(place(items, &Path::Field(field, "items"), context));
    }
    extensions::validate(schema, field, context.work, &mut found.of_schema);
    rules::validate(schema, field, context, &mut found);
    found
}

fn standard(schema: &Value, field: &Path<'_>, context: Context<'_>, errors: &mut Vec<FieldError>) {
    let value_type = schema.text(&["type"]);
    if !value_type.is_empty() && !TYPES.contains(&value_type) {
        errors.push(not_supported(&format!("{field}.type"), value_type, &TYPES));
    }
    let mut forbid =
        |name: &str, detail: &str| errors.push(FieldError::forbidden(format!("{field}.{name}"), detail));
    let is_set = |name: &str| schema.get(name).is_some_and(|value| !value.is_null());
    if let Some(reason) = context.forbidden_defaults.filter(|_| is_set("default")) {
        forbid("default", &format!("must not be set {reason}"));
    }
    for (name, detail) in UNSUPPORTED {
        if is_set(name) {
            forbid(name, detail);
        }
    }
    if value_type == "null" {
        forbid("type", "type cannot be set to null, use nullable as an alternative");
    }
    if schema.get("items").is_some_and(Value::is_array) {
        forbid("items", "items must be a schema object and not an array");
    }
    if context.in_metadata && schema["x-kubernetes-embedded-resource"] == true {
        forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    }
}
