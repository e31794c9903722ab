//! Writes of definitions: what the API server fills in, and what it refuses.
//!
//! Not reproduced: that updates tolerate what an older API server let through.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go`,
//! `kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go`.

pub(crate) mod approval;
mod costs;
mod defaults;
mod extensions;
mod names;
mod openapi;
mod patterns;
mod rules;
pub(crate) mod structural;
mod versions;
mod warnings;

use fbc_cel::named_format;
use fbc_go::json;
use fbc_go::text::quote;
use serde_json::{Value, json};

use super::specification::{Specification, Specifications};
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

pub use warnings::warnings;

/// Fills a new definition in: defaults of names and conversion, and a status that knows the stored version only.
pub fn prepare_for_create(object: &mut Object) {
    set_defaults(object);
    object.set(
        &["status"],
        json!({"acceptedNames": {"kind": "", "plural": ""}, "conditions": null, "storedVersions": null}),
    );
    add_stored_version(object);
}

/// Fills a changed definition in; the status is the old one, and remembers every version that was stored.
pub fn prepare_for_update(object: &mut Object, old: &Object) {
    set_defaults(object);
    object.set(&["status"], old.get("status").cloned().unwrap_or_default());
    add_stored_version(object);
}

fn set_defaults(object: &mut Object) {
    let kind = object.text(&["spec", "names", "kind"]).to_owned();
    if !kind.is_empty() {
        if object.text(&["spec", "names", "singular"]).is_empty() {
            object.set(&["spec", "names", "singular"], kind.to_lowercase());
        }
        if object.text(&["spec", "names", "listKind"]).is_empty() {
            object.set(&["spec", "names", "listKind"], format!("{kind}List"));
        }
    }
    if object.at(&["spec", "conversion"]).is_none_or(Value::is_null) {
        object.set(&["spec", "conversion"], json!({"strategy": "None"}));
    }
}

fn add_stored_version(object: &mut Object) {
    let versions = object.list(&["spec", "versions"]);
    let Some(name) =
        versions.iter().find(|version| version["storage"] == true).map(|version| version["name"].clone())
    else {
        return;
    };
    if let Value::Array(stored) = object.place(&["status", "storedVersions"]) {
        if !stored.contains(&name) {
            stored.push(name);
        }
    } else {
        object.set(&["status", "storedVersions"], json!([name]));
    }
}

/// What is wrong with a definition that was filled in; `old` is the one before an update.
///
/// The name of the object is judged here, all other metadata elsewhere.
pub fn validate(object: &Object, old: Option<&Object>, known: &Specifications) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if old.is_none() {
        validate_name(object, &mut errors);
    }
    let spec = object.get("spec").unwrap_or(&Value::Null);
    errors.extend_from_slice(known.specification(spec).errors());
    if let Some(old) = old {
        validate_unchanged(object, old, &mut errors);
    }
    let accepted = object.at(&["status", "acceptedNames"]).unwrap_or(&Value::Null);
    names::validate_names(accepted, "status.acceptedNames", &mut errors);
    validate_stored_versions(object, &mut errors);
    approval::validate(object, old, &mut errors);
    let preserves =
        |object: &Object| object.at(&["spec", "preserveUnknownFields"]) == Some(&Value::Bool(true));
    if preserves(object) && !old.is_some_and(preserves) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errors.push(invalid("spec.preserveUnknownFields", "true", detail));
    }
    errors
}

/// What is wrong with the specification of a definition by itself.
pub(super) fn specification_errors(specification: &Specification) -> Vec<FieldError> {
    // Before anything matches them: to compile patterns of this weight would take too long.
    if let Some(error) = patterns::excess(specification.versions()) {
        return vec![error];
    }
    let mut errors = Vec::new();
    versions::validate_spec(specification, &mut errors);
    errors
}

fn validate_name(object: &Object, errors: &mut Vec<FieldError>) {
    let name = object.name();
    let wanted = format!("{}.{}", object.text(&["spec", "names", "plural"]), object.text(&["spec", "group"]));
    let mut faults = dns_1123_subdomain(name);
    if name != wanted {
        faults.push("must be spec.names.plural+\".\"+spec.group".to_owned());
    }
    errors.extend(faults.into_iter().map(|fault| invalid_text("metadata.name", name, fault)));
}

fn validate_unchanged(object: &Object, old: &Object, errors: &mut Vec<FieldError>) {
    let established = old.condition_status("Established") == "True";
    for (path, always) in [
        (&["spec", "scope"][..], false),
        (&["spec", "names", "kind"], false),
        (&["spec", "group"], true),
        (&["spec", "names", "plural"], true),
    ] {
        if (always || established) && object.text(path) != old.text(path) {
            errors.push(invalid_text(&path.join("."), object.text(path), "field is immutable"));
        }
    }
}

fn validate_stored_versions(object: &Object, errors: &mut Vec<FieldError>) {
    let field = "status.storedVersions";
    let stored = object.list(&["status", "storedVersions"]);
    if stored.is_empty() {
        errors.push(invalid(field, "null", "must have at least one stored version"));
        return;
    }
    let versions = object.list(&["spec", "versions"]);
    for version in versions {
        if version["storage"] == true && !stored.contains(&version["name"]) {
            let value = json::encode(&Value::Array(stored.to_vec()));
            errors.push(invalid(
                field,
                value,
                format!("must have the storage version {}", version.text(&["name"])),
            ));
        }
    }
    for (index, name) in stored.iter().enumerate() {
        if !versions.iter().any(|version| version["name"] == *name) {
            let name = name.as_str().unwrap_or_default();
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions \
                 until a storage migration ensures no data remains persisted in {name} and removes {name} from \
                 status.storedVersions"
            );
            errors.push(invalid_text(&format!("{field}[{index}]"), name, detail));
        }
    }
}

/// What keeps a text from being the name of an object.
pub fn dns_1123_subdomain(text: &str) -> Vec<String> {
    named_format::find("dns1123Subdomain").map(|format| (format.faults)(text)).unwrap_or_default()
}

fn invalid(field: &str, value: impl Into<String>, detail: impl Into<String>) -> FieldError {
    FieldError::new(field, FieldReason::Invalid, value, detail)
}

fn invalid_text(field: &str, value: &str, detail: impl Into<String>) -> FieldError {
    invalid(field, quote(value), detail)
}

/// `Unsupported value: "a": supported values: "b", "c"`
fn not_supported(field: &str, value: &str, supported: &[&str]) -> FieldError {
    let supported: Vec<String> = supported.iter().map(|value| quote(value)).collect();
    let detail = format!("supported values: {}", supported.join(", "));
    FieldError::new(field, FieldReason::NotSupported, quote(value), detail)
}

/// A type that is missing, or another than wanted.
fn wrong_type(field: &str, value: &str, detail: &str) -> FieldError {
    if value.is_empty() { FieldError::required(field, detail) } else { invalid_text(field, value, detail) }
}
