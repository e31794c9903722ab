//! Validation of the variables of containers.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`ValidateEnv`, `ValidateEnvFrom`).

use serde_json::Value;

use super::downward_api::{Place, validate_field, validate_resource_field};
use super::metadata::push_all;
use super::names::{config_key, environment_name, subdomain};
use crate::error::FieldError;
use crate::object::ObjectFields;

/// What is wrong with the variables of a container.
pub(super) fn validate_environment(container: &Value, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, variable) in container.list(&["env"]).iter().enumerate() {
        let place = format!("{place}.env[{index}]");
        let of_name = format!("{place}.name");
        match variable.text(&["name"]) {
            "" => errors.push(FieldError::required(of_name, "")),
            name => push_all(&mut errors, &of_name, name, environment_name(name)),
        }
        validate_source(variable, &format!("{place}.valueFrom"), &mut errors);
    }
    let place = format!("{place}.envFrom");
    for (index, source) in container.list(&["envFrom"]).iter().enumerate() {
        let below = format!("{place}[{index}]");
        let prefix = source.text(&["prefix"]);
        if !prefix.is_empty() {
            push_all(&mut errors, &format!("{below}.prefix"), prefix, environment_name(prefix));
        }
        let mut count = 0;
        for field in ["configMapRef", "secretRef"] {
            let Some(reference) = source.given(&[field]) else { continue };
            count += 1;
            let (of_name, name) = (format!("{below}.{field}.name"), reference.text(&["name"]));
            if name.is_empty() {
                errors.push(FieldError::required(of_name, ""));
            } else {
                push_all(&mut errors, &of_name, name, subdomain(name));
            }
        }
        let text = match count {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        errors.push(FieldError::invalid_text(&place, "", text));
    }
    errors
}

fn validate_source(variable: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let Some(source) = variable.given(&["valueFrom"]) else { return };
    let mut count = 0;
    for field in ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"] {
        let Some(reference) = source.given(&[field]) else { continue };
        count += 1;
        let place = format!("{place}.{field}");
        match field {
            "fieldRef" => errors.extend(validate_field(reference, Place::Variable, &place)),
            "resourceFieldRef" => errors.extend(validate_resource_field(reference, Place::Variable, &place)),
            _ => {
                let (name, key) = (reference.text(&["name"]), reference.text(&["key"]));
                push_all(errors, &format!("{place}.name"), name, subdomain(name));
                if key.is_empty() {
                    errors.push(FieldError::required(format!("{place}.key"), ""));
                } else {
                    push_all(errors, &format!("{place}.key"), key, config_key(key));
                }
            }
        }
    }
    let text = match count {
        0 => "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
        _ if !variable.text(&["value"]).is_empty() => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    errors.push(FieldError::invalid_text(place, "", text));
}
