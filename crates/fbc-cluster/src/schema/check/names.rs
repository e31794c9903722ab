//! Names, columns and subresources of definitions.

use fbc_cel::named_format::dns_1035_label;
use serde_json::Value;

use super::{invalid, invalid_text};
use crate::error::FieldError;
use crate::object::ObjectFields;

/// Names that are there must be labels.
pub(super) fn validate_names(names: &Value, field: &str, errors: &mut Vec<FieldError>) {
    let mut check = |name: &str, field: String, mixed_case: bool| {
        let faults = if mixed_case { dns_1035_label(&name.to_lowercase()) } else { dns_1035_label(name) };
        if !faults.is_empty() {
            let hint = if mixed_case { "may have mixed case, but should otherwise match: " } else { "" };
            errors.push(invalid_text(&field, name, format!("{hint}{}", faults.join(","))));
        }
    };
    for (part, mixed_case) in [("plural", false), ("singular", false), ("kind", true), ("listKind", true)] {
        let name = names.text(&[part]);
        if !name.is_empty() {
            check(name, format!("{field}.{part}"), mixed_case);
        }
    }
    let list = |part: &'static str| {
        names.list(&[part]).iter().enumerate().map(move |(index, name)| (part, index, name))
    };
    for (part, index, name) in list("shortNames") {
        check(name.as_str().unwrap_or_default(), format!("{field}.{part}[{index}]"), false);
    }
    let kind = names.text(&["kind"]);
    let same_kinds = !kind.is_empty() && kind == names.text(&["listKind"]);
    if same_kinds {
        errors.push(invalid_text(
            &format!("{field}.listKind"),
            kind,
            "kind and listKind may not be the same",
        ));
    }
    for (part, index, name) in list("categories") {
        let name = name.as_str().unwrap_or_default();
        let faults = dns_1035_label(name);
        if !faults.is_empty() {
            errors.push(invalid_text(&format!("{field}.{part}[{index}]"), name, faults.join(",")));
        }
    }
}

const COLUMN_TYPES: &str = "boolean,date,integer,number,string";
const COLUMN_FORMATS: &str = "byte,date,date-time,double,float,int32,int64,password";

pub(super) fn validate_column(column: &Value, field: &str, errors: &mut Vec<FieldError>) {
    let is_one_of = |names: &str, name: &str| names.split(',').any(|known| known == name);
    if column.text(&["name"]).is_empty() {
        errors.push(FieldError::required(format!("{field}.name"), ""));
    }
    let column_type = column.text(&["type"]);
    if !is_one_of(COLUMN_TYPES, column_type) {
        let detail = format!("must be one of {COLUMN_TYPES}");
        errors.push(super::wrong_type(&format!("{field}.type"), column_type, &detail));
    }
    let format = column.text(&["format"]);
    if !format.is_empty() && !is_one_of(COLUMN_FORMATS, format) {
        errors.push(invalid_text(
            &format!("{field}.format"),
            format,
            format!("must be one of {COLUMN_FORMATS}"),
        ));
    }
    validate_path(column.text(&["jsonPath"]), &format!("{field}.JSONPath"), errors);
}

/// True if nothing is wrong with a path.
fn validate_path(path: &str, field: &str, errors: &mut Vec<FieldError>) -> bool {
    if path.is_empty() {
        errors.push(FieldError::required(field, ""));
    } else if !path.starts_with('.') {
        errors.push(invalid_text(field, path, "must be a simple json path starting with ."));
    }
    path.starts_with('.')
}

pub(super) fn validate_subresources(subresources: &Value, field: &str, errors: &mut Vec<FieldError>) {
    let Some(scale) = subresources.get("scale") else { return };
    for (part, starts, detail) in [
        ("specReplicasPath", &[".spec."][..], "should be a json path under .spec"),
        ("statusReplicasPath", &[".status."], "should be a json path under .status"),
        ("labelSelectorPath", &[".spec.", ".status."], "should be a json path under either .spec or .status"),
    ] {
        let path = scale.text(&[part]);
        if part == "labelSelectorPath" && path.is_empty() {
            continue;
        }
        let field = format!("{field}.scale.{part}");
        if validate_path(path, &field, errors) && !starts.iter().any(|start| path.starts_with(start)) {
            errors.push(invalid_text(&field, path, detail));
        }
    }
}

/// How objects of other versions are converted.
pub(super) fn validate_conversion(conversion: &Value, errors: &mut Vec<FieldError>) {
    let field = "spec.conversion";
    let strategy = conversion.text(&["strategy"]);
    match strategy {
        "" => errors.push(FieldError::required(format!("{field}.strategy"), "")),
        "None" | "Webhook" => {}
        other => errors.push(super::not_supported(&format!("{field}.strategy"), other, &["None", "Webhook"])),
    }
    let webhook = conversion.given(&["webhook"]);
    let client = webhook.and_then(|webhook| webhook.get("clientConfig")).filter(|client| !client.is_null());
    let versions = webhook.map_or(&[][..], |webhook| webhook.list(&["conversionReviewVersions"]));
    let client_field = format!("{field}.webhookClientConfig");
    let versions_field = format!("{field}.conversionReviewVersions");
    if strategy != "Webhook" {
        let detail = "should not be set when strategy is not set to Webhook";
        if client.is_some() {
            errors.push(FieldError::forbidden(client_field, detail));
        }
        if !versions.is_empty() {
            errors.push(FieldError::forbidden(versions_field, detail));
        }
        return;
    }
    match client {
        None => errors.push(FieldError::required(client_field, "required when strategy is set to Webhook")),
        Some(client) if client.get("url").is_some() == client.get("service").is_some() => {
            errors.push(FieldError::required(client_field, "exactly one of url or service is required"));
        }
        Some(_) => {}
    }
    if versions.is_empty() {
        errors.push(FieldError::required(versions_field, ""));
    } else if !versions.iter().any(|version| version == "v1" || version == "v1beta1") {
        let value = Value::Array(versions.to_vec()).to_string();
        errors.push(invalid(&versions_field, value, "must include at least one of v1, v1beta1"));
    }
}
