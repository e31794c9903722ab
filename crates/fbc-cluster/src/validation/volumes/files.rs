//! Volumes of files that the kubelet writes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::containers::{PULL_POLICIES, require_one_of};
use super::super::downward_api::{Place, validate_field, validate_resource_field};
use super::super::internal_json::in_one_line;
use super::{mode, require, validate_file_path};
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

/// Keys of a configuration map or a secret, as files.
pub(super) fn keys(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    errors.extend(mode(source, "defaultMode", place));
    validate_items(source, place, errors);
}

fn validate_items(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    for (index, item) in source.list(&["items"]).iter().enumerate() {
        let place = format!("{place}.items[{index}]");
        require(item, &["key", "path"], &place, errors);
        validate_file_path(item.text(&["path"]), &format!("{place}.path"), errors);
        errors.extend(mode(item, "mode", &place));
    }
}

pub(super) fn downward_api(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    errors.extend(mode(source, "defaultMode", place));
    for file in source.list(&["items"]) {
        downward_file(file, place, errors);
    }
}

/// The reference leaves the number of the file out of its places.
fn downward_file(file: &Value, place: &str, errors: &mut Vec<FieldError>) {
    require(file, &["path"], place, errors);
    validate_file_path(file.text(&["path"]), &format!("{place}.path"), errors);
    match (file.given(&["fieldRef"]), file.given(&["resourceFieldRef"])) {
        (Some(field), other) => {
            errors.extend(validate_field(field, Place::Volume, &format!("{place}.fieldRef")));
            if other.is_some() {
                let text = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errors.push(FieldError::invalid_text(place, "resource", text));
            }
        }
        (None, Some(field)) => {
            let place = format!("{place}.resourceFieldRef");
            errors.extend(validate_resource_field(field, Place::Volume, &place));
        }
        (None, None) => {
            errors.push(FieldError::required(place, "one of fieldRef and resourceFieldRef is required"));
        }
    }
    errors.extend(mode(file, "mode", place));
}

pub(super) fn projected(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    errors.extend(mode(source, "defaultMode", place));
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    for (index, projection) in source.list(&["sources"]).iter().enumerate() {
        let below = format!("{place}.sources[{index}]");
        let once = |path: &'_ str, shown: &str, errors: &mut Vec<FieldError>, is_new: bool| {
            if !path.is_empty() && !is_new {
                errors.push(FieldError::invalid_text(place, shown, "conflicting duplicate paths"));
            }
        };
        let mut count = 0;
        for field in ["secret", "configMap"] {
            let Some(keys) = projection.given(&[field]) else { continue };
            count += 1;
            let below = format!("{below}.{field}");
            require(keys, &["name"], &below, errors);
            validate_items(keys, &below, errors);
            for item in keys.list(&["items"]) {
                let path = item.text(&["path"]);
                once(path, keys.text(&["name"]), errors, paths.insert(path));
            }
        }
        if let Some(files) = projection.given(&["downwardAPI"]) {
            count += 1;
            for file in files.list(&["items"]) {
                downward_file(file, &format!("{below}.downwardAPI"), errors);
                let path = file.text(&["path"]);
                once(path, path, errors, paths.insert(path));
            }
        }
        if let Some(token) = projection.given(&["serviceAccountToken"]) {
            count += 1;
            validate_token(token, place, &format!("{below}.serviceAccountToken"), errors);
        }
        if let Some(bundle) = projection.given(&["clusterTrustBundle"]) {
            count += 1;
            let below = format!("{below}.clusterTrustBundle");
            match ["name", "signerName"].map(|field| bundle.given(&[field]).is_some()) {
                [true, true] => {
                    let (value, text) = (
                        in_one_line(bundle, "core", "ClusterTrustBundleProjection"),
                        "only one of name and signerName may be used",
                    );
                    errors.push(FieldError::new(&below, FieldReason::Invalid, value, text));
                }
                [false, false] => {
                    errors.push(FieldError::required(&below, "either name or signerName must be specified"));
                }
                _ => {}
            }
            require(bundle, &["path"], &below, errors);
            let path = bundle.text(&["path"]);
            validate_file_path(path, &format!("{below}.path"), errors);
            once(path, path, errors, paths.insert(path));
        }
        if count > 1 {
            errors.push(FieldError::forbidden(below, "may not specify more than 1 volume type per source"));
        }
    }
}

/// The reference reports paths of tokens at the whole volume.
fn validate_token(token: &Value, volume: &str, place: &str, errors: &mut Vec<FieldError>) {
    let seconds = token.number(&["expirationSeconds"]).unwrap_or_default();
    let text = match seconds {
        ..600 => "may not specify a duration less than 10 minutes",
        600..=0x1_0000_0000 => "",
        _ => "may not specify a duration larger than 2^32 seconds",
    };
    if !text.is_empty() {
        let place = format!("{place}.expirationSeconds");
        errors.push(FieldError::invalid_number(place, seconds, text));
    }
    let (path, place) = (token.text(&["path"]), format!("{volume}.path"));
    if path.is_empty() {
        errors.push(FieldError::required(place, ""));
    } else {
        validate_file_path(path, &place, errors);
    }
}

/// The files of an image.
pub(super) fn image(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    errors.extend(require_one_of(source, "pullPolicy", &PULL_POLICIES, place));
}
