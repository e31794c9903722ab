//! Whether defaults are values that their schemas accept.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/defaulting/validation.go`.

use serde_json::Value;

use super::invalid;
use crate::error::FieldError;
use crate::object::ObjectFields;
use crate::schema::go_value::go_value;
use crate::schema::path::Path;
use crate::schema::structural::Schema;
use crate::schema::work::Work;
use crate::schema::{embedded, prune, rules, validate};

/// Validates every default at a place and below it; those within maps are left alone, as in the reference.
pub(super) fn validate(json: &Value, field: &Path<'_>, work: &Work, errors: &mut Vec<FieldError>) {
    if let Some(default) = json.given(&["default"]) {
        validate_one(default, json, &format!("{field}.default"), work, errors);
    }
    if let Some(items) = json.get("items").filter(|items| items.is_object()) {
        validate(items, &Path::Field(field, "items"), work, errors);
    }
    for (name, property) in json.at(&["properties"]).and_then(Value::as_object).into_iter().flatten() {
        validate(property, &Path::Key(&Path::Field(field, "properties"), name), work, errors);
    }
}

fn validate_one(default: &Value, json: &Value, field: &str, work: &Work, errors: &mut Vec<FieldError>) {
    // One has said so.
    if work.is_used_up() {
        return;
    }
    let schema = Schema::of_part(json);
    let path = Path::Fixed(field);
    let mut pruned = default.clone();
    prune::prune(&mut pruned, &schema, schema.embedded, None);
    if pruned != *default {
        errors.push(invalid(field, go_value(default), "must not have unknown fields"));
    }
    let mut found = Vec::new();
    embedded::validate(default, &schema, &path, work, &mut found);
    if found.is_empty() {
        validate::validate(default, None, &schema, &path, work, &mut found);
    }
    found.extend(work.excess_of_steps(field));
    if found.is_empty() {
        found = rules::run_all(default, None, &schema, &path, work);
    }
    if let Some(excess) = work.excess(field) {
        found = vec![excess];
    }
    errors.extend(found);
}
