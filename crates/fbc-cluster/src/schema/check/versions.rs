//! The specification of a definition: group, scope, versions, names.
//!
//! The API server's internal form has one schema, one set of subresources and one list of columns if all versions have
//! the same; that is why errors name `spec.validation` where `spec.versions` was written.

use fbc_cel::named_format::dns_1035_label;
use fbc_go::json;
use serde_json::{Value, json};

use super::{defaults, invalid, invalid_text, names, not_supported, openapi, structural};
use crate::distinct::distinct;
use crate::error::FieldError;
use crate::object::ObjectFields;
use crate::schema::definition::Version;
use crate::schema::path::Path;
use crate::schema::specification::Specification;
use crate::schema::structural::Schema;
use crate::schema::work::Work;

/// The parts of versions that are moved up if they are the same in all: where they are in a version, and above.
const SHARED: [(&str, &str, &str); 4] = [
    ("schema", "validation", "Schema"),
    ("subresources", "subresources", "Subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns", "AdditionalPrinterColumns"),
    ("selectableFields", "selectableFields", "SelectableFields"),
];

pub(super) fn validate_spec(specification: &Specification, errors: &mut Vec<FieldError>) {
    let spec = specification.spec();
    let compiled = |index: usize| specification.versions().get(index).map(Version::schema);
    validate_group(spec.text(&["group"]), errors);
    match spec.text(&["scope"]) {
        "Cluster" | "Namespaced" => {}
        "" => errors.push(FieldError::required("spec.scope", "")),
        other => errors.push(not_supported("spec.scope", other, &["Cluster", "Namespaced"])),
    }
    let versions = spec.list(&["versions"]);
    let schema_of =
        |version: &Value| version.at(&["schema", "openAPIV3Schema"]).is_some_and(Value::is_object);
    for (index, _) in versions.iter().enumerate().filter(|(_, version)| !schema_of(version)) {
        errors.push(FieldError::required(format!("spec.versions[{index}].schema.openAPIV3Schema"), ""));
    }
    let is_shared = |part: &str| versions.windows(2).all(|pair| pair[0].get(part) == pair[1].get(part));
    for (index, version) in versions.iter().enumerate() {
        let field = format!("spec.versions[{index}]");
        let name = version.text(&["name"]);
        let faults = dns_1035_label(name);
        if !faults.is_empty() {
            errors.push(invalid_text(&format!("{field}.name"), name, faults.join(",")));
        }
        validate_deprecation(version, &field, errors);
        for (part, _, _) in SHARED.iter().filter(|(part, _, _)| !is_shared(part)) {
            validate_part(version, part, &format!("{field}.{part}"), &|| compiled(index), errors);
        }
    }
    let printed = || match spec.get("versions") {
        Some(Value::Array(_)) => go_versions(versions, &is_shared),
        _ => "null".to_owned(),
    };
    if distinct(versions.iter().map(|version| &version["name"])).len() < versions.len() {
        errors.push(invalid("spec.versions", printed(), "must contain unique version names"));
    }
    if versions.iter().filter(|version| version["storage"] == true).count() != 1 {
        errors.push(invalid(
            "spec.versions",
            printed(),
            "must have exactly one version marked as storage version",
        ));
    }
    let names = spec.get("names").unwrap_or(&Value::Null);
    for part in ["plural", "singular", "kind", "listKind"] {
        if names.text(&[part]).is_empty() {
            errors.push(FieldError::required(format!("spec.names.{part}"), ""));
        }
    }
    names::validate_names(names, "spec.names", errors);
    if let Some(first) = versions.first() {
        for (part, above, _) in SHARED.iter().filter(|(part, _, _)| is_shared(part)) {
            validate_part(first, part, &format!("spec.{above}"), &|| compiled(0), errors);
        }
    }
    if let Some(conversion) = spec.given(&["conversion"]) {
        names::validate_conversion(conversion, errors);
    }
}

fn validate_group(group: &str, errors: &mut Vec<FieldError>) {
    let faults = super::dns_1123_subdomain(group);
    if group.is_empty() {
        errors.push(FieldError::required("spec.group", ""));
    } else if !faults.is_empty() {
        errors.push(invalid_text("spec.group", group, faults.join(",")));
    } else if !group.contains('.') {
        errors.push(invalid_text("spec.group", group, "should be a domain with at least one dot"));
    }
}

fn validate_deprecation(version: &Value, field: &str, errors: &mut Vec<FieldError>) {
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else { return };
    let mut refuse =
        |detail: &str| errors.push(invalid_text(&format!("{field}.deprecationWarning"), warning, detail));
    if version["deprecated"] != true {
        refuse("can only be set for deprecated versions");
        return;
    }
    if warning.len() > 256 {
        refuse("must be <= 256 characters long");
    }
    if warning.is_empty() {
        refuse("must not be an empty string");
    }
    if let Some((index, _)) = warning.char_indices().find(|(_, character)| character.is_control()) {
        refuse(&format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {index}"
        ));
    }
}

/// The compiled schema of a version, asked for only if the schema is structural.
type Compiled<'c> = dyn Fn() -> Option<&'c Schema> + 'c;

fn validate_part(
    version: &Value,
    part: &str,
    field: &str,
    compiled: &Compiled<'_>,
    errors: &mut Vec<FieldError>,
) {
    let Some(value) = version.get(part) else { return };
    match part {
        "schema" => {
            if let Some(schema) = value.get("openAPIV3Schema").filter(|schema| schema.is_object()) {
                let has_status = version.at(&["subresources", "status"]).is_some();
                validate_schema(schema, has_status, &format!("{field}.openAPIV3Schema"), compiled, errors);
            }
        }
        "subresources" => names::validate_subresources(value, field, errors),
        "additionalPrinterColumns" => {
            for (index, column) in value.as_array().into_iter().flatten().enumerate() {
                names::validate_column(column, &format!("{field}[{index}]"), errors);
            }
        }
        _ => validate_selectable(value, version, field, errors),
    }
}

/// Fields by which lists may be filtered.
fn validate_selectable(fields: &Value, version: &Value, field: &str, errors: &mut Vec<FieldError>) {
    let schema = version.at(&["schema", "openAPIV3Schema"]).unwrap_or(&Value::Null);
    let fields = fields.as_array().map_or(&[][..], Vec::as_slice);
    for (index, selectable) in fields.iter().enumerate() {
        let path = selectable.text(&["jsonPath"]);
        let field = format!("{field}[{index}].jsonPath");
        let found = path
            .strip_prefix('.')
            .map(|rest| rest.split('.').try_fold(schema, |schema, name| schema.at(&["properties", name])));
        match found {
            _ if path.is_empty() => errors.push(FieldError::required(field, "")),
            None => errors.push(invalid_text(
                &field,
                path,
                "is an invalid path: expected [ or . but got: ".to_owned() + path,
            )),
            Some(None) => {
                errors.push(invalid_text(&field, path, "is an invalid path: does not refer to a valid field"))
            }
            Some(Some(_)) if path == ".metadata" || path.starts_with(".metadata.") => {
                errors.push(invalid_text(&field, path, "must not point to fields in metadata"));
            }
            Some(Some(schema)) if !matches!(schema.text(&["type"]), "string" | "boolean" | "integer") => {
                let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings \
                              with formats are allowed.";
                errors.push(invalid_text(&field, path, detail));
            }
            Some(Some(_)) => {}
        }
    }
}

fn validate_schema(
    schema: &Value,
    has_status: bool,
    field: &str,
    compiled: &Compiled<'_>,
    errors: &mut Vec<FieldError>,
) {
    if has_status && schema.get("type").is_some_and(|value_type| value_type != "object") {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        errors.push(invalid_text(&format!("{field}.type"), schema.text(&["type"]), detail));
    }
    if schema["nullable"] == true {
        errors
            .push(FieldError::forbidden(format!("{field}.nullable"), "nullable cannot be true at the root"));
    }
    let path = Path::Fixed(field);
    let mut structural_errors = structural::validate(schema, &path);
    if structural_errors.is_empty() {
        defaults::validate(schema, &path, &Work::of_request(), &mut structural_errors);
    }
    let compiled = if structural_errors.is_empty() { compiled() } else { None };
    errors.extend(structural_errors);
    openapi::validate(schema, &path, compiled, errors);
}

/// Versions as Go prints its internal structs.
fn go_versions(versions: &[Value], is_shared: &impl Fn(&str) -> bool) -> String {
    let one = |version: &Value| {
        let flag = |name: &str| version[name] == true;
        let head = format!(
            "{{\"Name\":{},\"Served\":{},\"Storage\":{},\"Deprecated\":{},\"DeprecationWarning\":{}",
            json::encode(&json!(version.text(&["name"]))),
            flag("served"),
            flag("storage"),
            flag("deprecated"),
            json::encode(&version["deprecationWarning"]),
        );
        let parts: String = SHARED
            .iter()
            .map(|(part, _, printed)| {
                let value =
                    if is_shared(part) { &Value::Null } else { version.get(part).unwrap_or(&Value::Null) };
                format!(",\"{printed}\":{}", json::encode(value))
            })
            .collect();
        format!("{head}{parts}}}")
    };
    format!("[{}]", versions.iter().map(one).collect::<Vec<_>>().join(","))
}
