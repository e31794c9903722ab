//! Whole objects within objects (`x-kubernetes-embedded-resource`): they need `apiVersion` and `kind`.

use serde_json::Value;

use super::go_value::go_value;
use super::path::Path;
use super::structural::Schema;
use super::work::Work;
use crate::error::{FieldError, FieldReason};

/// What a DNS label of RFC 1035 must look like, in Kubernetes' words.
pub(crate) const DNS_1035_LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
    start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', \
    regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

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

/// What is wrong with a DNS label of RFC 1035.
///
/// Source: `kubernetes/apimachinery:pkg/util/validation/validation.go`.
pub(crate) fn dns_1035_label(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if text.len() > 63 {
        faults.push("must be no more than 63 characters".to_owned());
    }
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let starts = text.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    if !starts || !text.bytes().all(fits) || text.ends_with('-') {
        faults.push(DNS_1035_LABEL.to_owned());
    }
    faults
}
