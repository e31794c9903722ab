//! Validation of the volumes of pods.
//!
//! | module | what it holds |
//! |---|---|
//! | `files` | files that the kubelet writes: of configuration maps, secrets, tokens and the pod itself |
//! | `storage` | directories of nodes, disks and servers |
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`ValidateVolumes`).

mod files;
mod storage;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use self::files::{downward_api, image, keys, projected};
use self::storage::{
    azure_disk, csi, fibre_channel, flocker, host_path, iscsi, network_path, options, partition, quobyte,
    repository, secret_reference, storage_os,
};
use super::claims::validate_claim_spec;
use super::metadata::{push_all, validate_labels};
use super::names::label;
use super::pods::duplicate;
use crate::error::FieldError;
use crate::object::ObjectFields;

/// What a volume may be.
struct Source {
    /// The field of the volume.
    field: &'static str,
    /// Its name where there is another source before it.
    further: &'static str,
    /// Its name in the places of what is wrong within it.
    place: &'static str,
    /// Texts and lists that must not be empty.
    required: &'static [&'static str],
    /// Texts that may be empty in templates alone.
    required_in_pods: &'static [&'static str],
    check: Option<Check>,
}

type Check = fn(&Value, &str, &mut Vec<FieldError>);

const fn source(field: &'static str, required: &'static [&'static str], check: Option<Check>) -> Source {
    Source { field, further: field, place: field, required, required_in_pods: &[], check }
}

/// The sources in the order in which the API server looks at them, with its own names for some of them.
const SOURCES: [Source; 30] = [
    source("emptyDir", &[], Some(empty_directory)),
    source("hostPath", &["path"], Some(host_path)),
    source("gitRepo", &["repository"], Some(repository)),
    Source { place: "persistentDisk", ..source("gcePersistentDisk", &["pdName"], Some(partition)) },
    source("awsElasticBlockStore", &["volumeID"], Some(partition)),
    source("secret", &["secretName"], Some(keys)),
    source("nfs", &["server", "path"], Some(network_path)),
    source("iscsi", &["targetPortal", "iqn"], Some(iscsi)),
    source("glusterfs", &["endpoints", "path"], None),
    source("flocker", &[], Some(flocker)),
    source("persistentVolumeClaim", &["claimName"], None),
    source("rbd", &["monitors", "image"], None),
    source("cinder", &["volumeID"], Some(secret_reference)),
    Source { further: "cephFS", ..source("cephfs", &["monitors"], None) },
    source("quobyte", &[], Some(quobyte)),
    Source { further: "downwarAPI", ..source("downwardAPI", &[], Some(downward_api)) },
    source("fc", &[], Some(fibre_channel)),
    source("flexVolume", &["driver"], Some(options)),
    source("configMap", &["name"], Some(keys)),
    source("azureFile", &["secretName", "shareName"], None),
    source("vsphereVolume", &["volumePath"], None),
    source("photonPersistentDisk", &["pdID"], None),
    source("portworxVolume", &["volumeID"], None),
    source("azureDisk", &["diskName", "diskURI"], Some(azure_disk)),
    source("storageos", &["volumeName"], Some(storage_os)),
    source("projected", &[], Some(projected)),
    source("scaleIO", &["gateway", "system", "volumeName"], None),
    source("csi", &["driver"], Some(csi)),
    source("ephemeral", &["volumeClaimTemplate"], Some(ephemeral)),
    Source { required_in_pods: &["reference"], ..source("image", &[], Some(image)) },
];

/// The volumes of a pod specification that are right, and what is wrong with the others.
pub(in crate::validation) fn validate_volumes<'s>(
    spec: &'s Value,
    is_pod: bool,
    place: &str,
) -> (Vec<&'s Value>, Vec<FieldError>) {
    let (mut right, mut errors): (Vec<&Value>, Vec<FieldError>) = (Vec::new(), Vec::new());
    let mut names = BTreeSet::new();
    for (index, volume) in spec.list(&["volumes"]).iter().enumerate() {
        let place = format!("{place}.volumes[{index}]");
        let of_others = errors.len();
        validate_source(volume, is_pod, &place, &mut errors);
        let (name, of_name) = (volume.text(&["name"]), format!("{place}.name"));
        if name.is_empty() {
            errors.push(FieldError::required(&of_name, ""));
        } else {
            push_all(&mut errors, &of_name, name, label(name));
        }
        if names.contains(name) {
            errors.push(duplicate(of_name, name));
        }
        if errors.len() == of_others {
            right.push(volume);
            names.insert(name);
        }
    }
    (right, errors)
}

fn validate_source(volume: &Value, is_pod: bool, place: &str, errors: &mut Vec<FieldError>) {
    let mut has_one = false;
    for source in &SOURCES {
        let Some(value) = volume.given(&[source.field]) else { continue };
        if has_one {
            let text = "may not specify more than 1 volume type";
            errors.push(FieldError::forbidden(format!("{place}.{}", source.further), text));
            continue;
        }
        has_one = true;
        let place = format!("{place}.{}", source.place);
        require(value, source.required, &place, errors);
        if is_pod {
            require(value, source.required_in_pods, &place, errors);
        }
        if let Some(check) = source.check {
            check(value, &place, errors);
        }
    }
    if !has_one {
        errors.push(FieldError::required(place, "must specify a volume type"));
    }
}

pub(super) fn require(value: &Value, fields: &[&str], place: &str, errors: &mut Vec<FieldError>) {
    for field in fields {
        let is_empty = match value.get(*field) {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            Some(_) => false,
        };
        if is_empty {
            errors.push(FieldError::required(format!("{place}.{field}"), ""));
        }
    }
}

pub(super) fn mode(value: &Value, field: &str, place: &str) -> Option<FieldError> {
    let mode = value.number(&[field]).filter(|mode| !(0..=0o777).contains(mode))?;
    let text = "must be a number between 0 and 0777 (octal), both inclusive";
    Some(FieldError::invalid_number(format!("{place}.{field}"), mode, text))
}

/// Whether a path leads upwards.
pub(in crate::validation) fn steps_back(path: &str) -> bool {
    path.split('/').any(|step| step == "..")
}

/// A path must not lead upwards.
fn no_backsteps(path: &str, place: &str) -> Option<FieldError> {
    steps_back(path).then(|| FieldError::invalid_text(place, path, "must not contain '..'"))
}

/// What is wrong with a path below a directory.
pub(in crate::validation) fn validate_local_path(path: &str, place: &str) -> Vec<FieldError> {
    let is_absolute = path.starts_with('/');
    let absolute = is_absolute.then(|| FieldError::invalid_text(place, path, "must be a relative path"));
    absolute.into_iter().chain(no_backsteps(path, place)).collect()
}

/// As [`validate_local_path`], for the names of files that the kubelet writes beside its own, which begin with two dots.
pub(super) fn validate_file_path(path: &str, place: &str, errors: &mut Vec<FieldError>) {
    errors.extend(validate_local_path(path, place));
    if path.starts_with("..") && !path.starts_with("../") {
        errors.push(FieldError::invalid_text(place, path, "must not start with '..'"));
    }
}

fn empty_directory(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let limit = source.given(&["sizeLimit"]).and_then(Quantity::from_json);
    if limit.is_some_and(|limit| limit.sign() < 0) {
        let text = "SizeLimit field must be a valid resource quantity";
        errors.push(FieldError::forbidden(format!("{place}.sizeLimit"), text));
    }
}

fn ephemeral(source: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let Some(template) = source.given(&["volumeClaimTemplate"]) else { return };
    let place = format!("{place}.volumeClaimTemplate");
    errors.extend(validate_labels(template.at(&["metadata", "labels"]), &format!("{place}.metadata.labels")));
    errors.extend(validate_claim_spec(&template["spec"], &format!("{place}.spec")));
}
