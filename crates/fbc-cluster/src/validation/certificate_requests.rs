//! Validation of requests for certificates: which conditions a write may add, change and take away.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/certificates/validation/validation.go`.

use std::collections::HashSet;

use serde_json::Value;

use super::nodes::not_supported;
use super::pods::duplicate;
use crate::api::Subresource;
use crate::error::FieldError;
use crate::object::{Object, ObjectFields};

const CONDITIONS: [&str; 2] = ["status", "conditions"];
/// The conditions by which a request is decided, of which there is one at most.
const DECISIONS: [&str; 2] = ["Approved", "Denied"];
/// The condition of a signer that gives up.
const FAILED: &str = "Failed";

/// What is wrong with a request that is created.
pub(super) fn validate_certificate_request(request: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if request.list(&["spec", "usages"]).is_empty() {
        errors.push(FieldError::required("spec.usages", ""));
    }
    if request.text(&["spec", "signerName"]).is_empty() {
        errors.push(FieldError::required("spec.signerName", ""));
    }
    errors.extend(validate_conditions(request));
    errors
}

/// What is wrong with what a write makes of the status of a request.
pub fn validate_certificate_request_update(
    old: &Object,
    new: &Object,
    subresource: Subresource,
) -> Vec<FieldError> {
    let mut errors = validate_conditions(new);
    let of_type = |object: &Object, wanted: &str| -> Vec<Value> {
        let conditions = object.list(&CONDITIONS).iter();
        conditions.filter(|condition| condition["type"] == wanted).cloned().collect()
    };
    let mut forbidden = |what: &str, of: &str| {
        let text = format!("updates may not {what} a condition of type {of:?}");
        errors.push(FieldError::forbidden("status.conditions", text));
    };
    for one in [DECISIONS[0], DECISIONS[1], FAILED] {
        if of_type(new, one).len() < of_type(old, one).len() {
            forbidden("remove", one);
        }
    }
    if subresource != Subresource::Approval {
        for one in DECISIONS {
            let (before, after) = (of_type(old, one), of_type(new, one));
            if after.len() > before.len() {
                forbidden("add", one);
            } else if after.len() == before.len() && after != before {
                forbidden("modify", one);
            }
        }
    }
    const CERTIFICATE: [&str; 2] = ["status", "certificate"];
    if old.text(&CERTIFICATE) != new.text(&CERTIFICATE) {
        let refusal = match subresource {
            Subresource::Status if old.text(&CERTIFICATE).is_empty() => None,
            Subresource::Status => Some("updates may not modify existing certificate content"),
            _ => Some("updates may not set certificate content"),
        };
        errors.extend(refusal.map(|text| FieldError::forbidden("status.certificate", text)));
    }
    errors
}

fn validate_conditions(request: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for (index, condition) in request.list(&CONDITIONS).iter().enumerate() {
        let place = |field: &str| format!("status.conditions[{index}].{field}");
        let (kind, status) = (condition.text(&["type"]), condition.text(&["status"]));
        if kind.is_empty() {
            errors.push(FieldError::required(place("type"), ""));
        }
        let is_final = DECISIONS.contains(&kind) || kind == FAILED;
        let supported: &[&str] = if is_final { &["True"] } else { &["False", "True", "Unknown"] };
        if status.is_empty() {
            errors.push(FieldError::required(place("status"), ""));
        } else if !supported.contains(&status) {
            errors.push(not_supported(&place("status"), status, supported));
        }
        if DECISIONS.contains(&kind) && DECISIONS.iter().any(|other| *other != kind && seen.contains(other)) {
            let text = "Approved and Denied conditions are mutually exclusive";
            errors.push(FieldError::invalid_text(place("type"), kind, text));
        }
        if !seen.insert(kind) {
            errors.push(duplicate(place("type"), kind));
        }
    }
    errors
}
