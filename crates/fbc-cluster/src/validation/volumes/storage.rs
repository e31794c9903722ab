//! Volumes that lie somewhere: on the node, on disks, on servers.

use fbc_go::regexp::{Pattern, Steps};
use serde_json::Value;

use super::super::metadata::push_all;
use super::super::names::{label, subdomain};
use super::super::nodes::not_supported;
use super::{no_backsteps, require, validate_local_path};
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

fn number_between(value: &Value, field: &str, least: i64, text: &str, place: &str) -> Option<FieldError> {
    let number = value.number(&[field]).filter(|number| !(least..=255).contains(number))?;
    Some(FieldError::invalid_number(format!("{place}.{field}"), number, text))
}

pub(super) fn host_path(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const TYPES: [&str; 8] =
        ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    let path = source.text(&["path"]);
    if path.is_empty() {
        return;
    }
    errors.extend(no_backsteps(path, &format!("{place}.path")));
    let of_type = source.text(&["type"]);
    if !TYPES.contains(&of_type) {
        errors.push(not_supported(&format!("{place}.type"), of_type, &TYPES));
    }
}

pub(super) fn repository(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    errors.extend(validate_local_path(source.text(&["directory"]), &format!("{place}.directory")));
}

pub(super) fn partition(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    errors.extend(number_between(source, "partition", 0, "must be between 1 and 255, inclusive", place));
}

pub(super) fn network_path(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let path = source.text(&["path"]);
    if !path.starts_with('/') {
        errors.push(FieldError::invalid_text(format!("{place}.path"), path, "must be an absolute path"));
    }
}

pub(super) fn iscsi(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const FORMS: [(&str, &str); 3] = [
        ("iqn", r"iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$"),
        ("eui", r"^eui.[[:alnum:]]{16}$"),
        ("naa", r"^naa.[[:alnum:]]{32}$"),
    ];
    let check_name = |field: &str, shown: &str, errors: &mut Vec<FieldError>| {
        let name = source.text(&[field]);
        let form = FORMS.iter().find(|(prefix, _)| name.starts_with(prefix));
        let text = match form {
            None => "must be valid format starting with iqn, eui, or naa",
            Some((_, form)) if Pattern::new(*form).is_match(name, &Steps::default()) != Ok(true) => {
                "must be valid format"
            }
            Some(_) => return,
        };
        errors.push(FieldError::invalid_text(format!("{place}.{shown}"), name, text));
    };
    if !source.text(&["iqn"]).is_empty() {
        check_name("iqn", "iqn", errors);
    }
    errors.extend(number_between(source, "lun", 0, "must be between 0 and 255, inclusive", place));
    let authenticates = ["chapAuthDiscovery", "chapAuthSession"].iter().any(|field| source[*field] == true);
    if authenticates && source.given(&["secretRef"]).is_none() {
        errors.push(FieldError::required(format!("{place}.secretRef"), ""));
    }
    if source.given(&["initiatorName"]).is_some() {
        check_name("initiatorName", "initiatorname", errors);
    }
}

pub(super) fn flocker(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let (name, id) = (source.text(&["datasetName"]), source.text(&["datasetUUID"]));
    match (name.is_empty(), id.is_empty()) {
        (true, true) => {
            errors.push(FieldError::required(place, "one of datasetName and datasetUUID is required"));
        }
        (false, false) => {
            let text = "datasetName and datasetUUID can not be specified simultaneously";
            errors.push(FieldError::invalid_text(place, "resource", text));
        }
        _ => {}
    }
    if name.contains('/') {
        errors.push(FieldError::invalid_text(format!("{place}.datasetName"), name, "must not contain '/'"));
    }
}

/// The name of a reference to a secret, where there is one.
pub(super) fn secret_reference(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    if let Some(secret) = source.given(&["secretRef"]) {
        require(secret, &["name"], &format!("{place}.secretRef"), errors);
    }
}

pub(super) fn quobyte(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
    let registry = source.text(&["registry"]);
    if registry.is_empty() {
        errors.push(FieldError::required(format!("{place}.registry"), PAIRS));
    } else if source.text(&["tenant"]).len() >= 65 {
        let text = "must be a UUID and may not exceed a length of 64 characters";
        errors.push(FieldError::required(format!("{place}.tenant"), text));
    } else {
        let wrong = registry.split(',').filter(|pair| pair.matches(':').count() != 1);
        errors.extend(wrong.map(|_| FieldError::invalid_text(format!("{place}.registry"), registry, PAIRS)));
    }
    require(source, &["volume"], place, errors);
}

pub(super) fn fibre_channel(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let (names, ids) = (source.list(&["targetWWNs"]), source.list(&["wwids"]));
    let of_names = format!("{place}.targetWWNs");
    if names.is_empty() && ids.is_empty() {
        let text = "must specify either targetWWNs or wwids, but not both";
        errors.push(FieldError::required(&of_names, text));
    }
    if !names.is_empty() && !ids.is_empty() {
        let text = "targetWWNs and wwids can not be specified simultaneously";
        errors.push(FieldError::new(&of_names, FieldReason::Invalid, source["targetWWNs"].to_string(), text));
    }
    if !names.is_empty() {
        if source.given(&["lun"]).is_none() {
            let text = "lun is required if targetWWNs is specified";
            errors.push(FieldError::required(format!("{place}.lun"), text));
        }
        errors.extend(number_between(source, "lun", 0, "must be between 0 and 255, inclusive", place));
    }
}

pub(super) fn options(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    for key in source.given(&["options"]).and_then(Value::as_object).into_iter().flat_map(|map| map.keys()) {
        let namespace = key.split_once('/').map_or(key.as_str(), |(namespace, _)| namespace);
        let namespace = format!(".{}", namespace.to_lowercase());
        if namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io") {
            let text = "kubernetes.io and k8s.io namespaces are reserved";
            errors.push(FieldError::invalid_text(format!("{place}.options[{key}]"), key, text));
        }
    }
}

pub(super) fn azure_disk(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const CHOICES: [(&str, [&str; 3]); 2] =
        [("cachingMode", ["None", "ReadOnly", "ReadWrite"]), ("kind", ["Dedicated", "Managed", "Shared"])];
    const MANAGED: &str =
        "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    const BLOB: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    for (field, values) in CHOICES {
        let value = source.text(&[field]);
        if source.given(&[field]).is_some() && !values.contains(&value) {
            errors.push(not_supported(&format!("{place}.{field}"), value, &values));
        }
    }
    let address = source.text(&["diskURI"]);
    let (prefix, form) = match source.text(&["kind"]) {
        "" => return,
        "Managed" => ("/subscriptions/", MANAGED),
        _ => ("https://", BLOB),
    };
    if !address.starts_with(prefix) {
        errors.push(not_supported(&format!("{place}.diskURI"), address, &[form]));
    }
}

pub(super) fn storage_os(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    for field in ["volumeName", "volumeNamespace"] {
        let name = source.text(&[field]);
        if !name.is_empty() {
            push_all(errors, &format!("{place}.{field}"), name, label(name));
        }
    }
    secret_reference(source, place, errors);
}

pub(super) fn csi(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let driver = source.text(&["driver"]);
    let of_driver = format!("{place}.driver");
    if driver.len() > 63 {
        errors.push(FieldError::new(&of_driver, FieldReason::TooLong, "", "may not be more than 63 bytes"));
    }
    push_all(errors, &of_driver, driver, subdomain(&driver.to_lowercase()));
    if let Some(secret) = source.given(&["nodePublishSecretRef"]) {
        require(secret, &["name"], &format!("{place}.nodePublishSecretRef"), errors);
        let name = secret.text(&["name"]);
        if !name.is_empty() {
            push_all(errors, &format!("{place}.name"), name, subdomain(name));
        }
    }
}
