//! Whole objects within objects (`x-kubernetes-embedded-resource`): they need `apiVersion` and `kind`.

use fbc_cel::named_format::dns_1035_label;
use serde_json::Value;

use super::go_value::go_value;
use super::path::Path;
use super::structural::Schema;
use super::work::Work;
use crate::error::{FieldError, FieldReason};

/// Validates all embedded objects.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/objectmeta/validation.go`.
pub(crate) fn validate(
    value: &Value,
    schema: &Schema,
    path: &Path<'_>,
    work: &Work,
    errors: &mut Vec<FieldError>,
) {
    if !schema.below.embedded {
        return;
    }
    match value {
        Value::Object(fields) => {
            if schema.embedded {
                validate_type(fields, path, work, errors);
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    validate(value, property, &Path::Field(path, name), work, errors);
                } else if let Some(additional) = &schema.additional {
                    validate(value, additional, &Path::Key(path, name), work, errors);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                for (index, item) in items.iter().enumerate() {
                    validate(item, schema, &Path::Index(path, index), work, errors);
                }
            }
        }
        _ => {}
    }
}

fn validate_type(
    fields: &serde_json::Map<String, Value>,
    path: &Path<'_>,
    work: &Work,
    errors: &mut Vec<FieldError>,
) {
    for name in ["apiVersion", "kind"].into_iter().filter(|name| !fields.contains_key(*name)) {
        work.report(errors, FieldError::required(Path::Field(path, name).field(), ""));
    }
    for (name, value) in fields {
        let fault = match (name.as_str(), value) {
            ("apiVersion" | "kind", Value::String(text)) if text.is_empty() => "must not be empty".to_owned(),
            ("apiVersion", Value::String(text)) if text.matches('/').count() > 1 => {
                format!("unexpected GroupVersion string: {text}")
            }
            ("kind", Value::String(text)) => {
                let faults = dns_1035_label(&text.to_lowercase());
                if faults.is_empty() {
                    continue;
                }
                format!("may have mixed case, but should otherwise match: {}", faults.join(","))
            }
            ("apiVersion", Value::String(_)) => continue,
            ("apiVersion" | "kind", _) => "must be a string".to_owned(),
            ("metadata", other) if !other.is_object() => "must be an object".to_owned(),
            _ => continue,
        };
        let field = Path::Field(path, name).field();
        work.report(errors, FieldError::new(field, FieldReason::Invalid, go_value(value), fault));
    }
}
