//! Validation of claims to volumes.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`ValidatePersistentVolumeClaimSpec`).

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::copy_field;
use super::internal_json::difference;
use super::metadata::{push_all, validate_selector};
use super::names::subdomain;
use super::nodes::not_supported;
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];

/// What is wrong with what a claim asks for.
pub(super) fn validate_claim_spec(spec: &Value, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let modes: Vec<&str> = spec.list(&["accessModes"]).iter().filter_map(Value::as_str).collect();
    let of_modes = format!("{place}.accessModes");
    if modes.is_empty() {
        errors.push(FieldError::required(&of_modes, "at least 1 access mode is required"));
    }
    errors.extend(validate_selector(spec.at(&["selector"]), &format!("{place}.selector")));
    let is_known = |mode: &&str| ACCESS_MODES.contains(mode);
    errors.extend(
        modes.iter().filter(|mode| !is_known(mode)).map(|mode| not_supported(&of_modes, mode, &ACCESS_MODES)),
    );
    let is_alone = |mode: &&str| *mode == "ReadWriteOncePod";
    if modes.iter().any(is_alone) && modes.iter().any(|mode| is_known(mode) && !is_alone(mode)) {
        errors.push(FieldError::forbidden(of_modes, "may not use ReadWriteOncePod with other access modes"));
    }
    let of_storage = format!("{place}.resources[storage]");
    match spec.at(&["resources", "requests", "storage"]) {
        None => errors.push(FieldError::required(of_storage, "")),
        Some(size) if Quantity::from_json(size).is_some_and(|size| size.sign() <= 0) => errors.push(
            FieldError::new(of_storage, FieldReason::Invalid, size.to_string(), "must be greater than zero"),
        ),
        Some(_) => {}
    }
    let class = spec.text(&["storageClassName"]);
    if !class.is_empty() {
        push_all(&mut errors, &format!("{place}.storageClassName"), class, subdomain(class));
    }
    if let Some(mode) = spec.at(&["volumeMode"]).and_then(Value::as_str)
        && !VOLUME_MODES.contains(&mode)
    {
        errors.push(not_supported(&format!("{place}.volumeMode"), mode, &VOLUME_MODES));
    }
    for field in ["dataSource", "dataSourceRef"] {
        let Some(source) = spec.given(&[field]) else { continue };
        let place = format!("{place}.{field}");
        for field in ["name", "kind"] {
            if source.text(&[field]).is_empty() {
                errors.push(FieldError::required(format!("{place}.{field}"), ""));
            }
        }
        let (group, kind) = (source.text(&["apiGroup"]), source.text(&["kind"]));
        if group.is_empty() && kind != "PersistentVolumeClaim" {
            let text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
            errors.push(FieldError::invalid_text(place, kind, text));
        } else if !group.is_empty() {
            push_all(&mut errors, &format!("{place}.apiGroup"), group, subdomain(group));
        }
    }
    errors
}

/// What of a claim must not change: all but its volume, which is found once, and its size.
pub(super) fn validate_claim_update(old: &Object, new: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let size = |claim: &Object| {
        claim
            .at(&["spec", "resources", "requests", "storage"])
            .and_then(Quantity::from_json)
            .unwrap_or_default()
    };
    // What may change is made equal; the rest must be.
    let (mut before, mut after) = (old["spec"].clone(), new["spec"].clone());
    if old.text(&["spec", "volumeName"]).is_empty() {
        copy_field(&mut before, &new["spec"], &["volumeName"]);
    }
    if new.text(&["status", "phase"]) == "Bound" {
        for path in [&["resources", "requests", "storage"][..], &["volumeAttributesClassName"]] {
            copy_field(&mut after, &old["spec"], path);
        }
    }
    if before != after {
        let text = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound \
                    claims";
        let difference = difference(&before, &after, "core", "PersistentVolumeClaimSpec");
        errors.push(FieldError::forbidden("spec", format!("{text}\n{difference}")));
    }
    // Another size helps where an expansion fails, down to what the volume has already.
    let capacity =
        old.at(&["status", "capacity", "storage"]).and_then(Quantity::from_json).unwrap_or_default();
    if size(new) < size(old) && size(new) <= capacity {
        let text = "field can not be less than status.capacity";
        errors.push(FieldError::forbidden("spec.resources.requests.storage", text));
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn claims_shrink_down_to_what_their_volume_has() {
        let claim = |size: &str| {
            json!({
                "spec": {"resources": {"requests": {"storage": size}}},
                "status": {"phase": "Bound", "capacity": {"storage": "2Gi"}},
            })
        };
        let refused =
            "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";
        for (size, expected) in
            [("4Gi", vec![]), ("2500Mi", vec![]), ("2Gi", vec![refused]), ("1Gi", vec![refused])]
        {
            let errors = validate_claim_update(&claim("3Gi"), &claim(size));
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(texts, expected, "{size}");
        }
    }

    #[test]
    fn what_of_a_claim_must_not_change_is_shown() {
        let claim = |class: &str| {
            json!({
                "spec": {
                    "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                    "storageClassName": class, "volumeMode": "Filesystem",
                },
                "status": {"phase": "Bound"},
            })
        };
        let errors = validate_claim_update(&claim("slow"), &claim("fast"));
        let expected = concat!(
            "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for \
             bound claims\n",
            "@@ -10,7 +10,7 @@\n",
            "   }\n",
            "  },\n",
            "  \"VolumeName\": \"\",\n",
            "- \"StorageClassName\": \"slow\",\n",
            "+ \"StorageClassName\": \"fast\",\n",
            "  \"VolumeMode\": \"Filesystem\",\n",
            "  \"DataSource\": null,\n",
            "  \"DataSourceRef\": null,\n",
        );
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(texts, [expected]);
    }
}
