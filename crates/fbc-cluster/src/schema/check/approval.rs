//! Groups of the Kubernetes community need an approval (`api-approved.kubernetes.io`).
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apihelpers/helpers.go`.

use fbc_cel::url::Url;
use fbc_go::text::quote;

use super::invalid_text;
use crate::error::FieldError;
use crate::object::{Object, ObjectFields};

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// What the annotation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    Approved,
    Bypassed,
    Missing,
    Invalid,
}

/// True for `k8s.io`, `kubernetes.io` and groups below them.
pub(crate) fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].into_iter().any(|protected| {
        group.strip_suffix(protected).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// What the annotation of a definition says, and why, in words.
pub(crate) fn of(object: &Object) -> (Approval, String) {
    let annotation = object.annotation(ANNOTATION).unwrap_or_default();
    if annotation.is_empty() {
        let text = format!("protected groups must have approval annotation \"{ANNOTATION}\", {SEE}");
        (Approval::Missing, text)
    } else if annotation.starts_with("unapproved") {
        (Approval::Bypassed, format!("not approved: {}", quote(annotation)))
    } else if Url::parse(annotation).is_some_and(|url| !url.scheme.is_empty() && !url.host.is_empty()) {
        (Approval::Approved, format!("approved in {annotation}"))
    } else {
        let text = format!(
            "protected groups must have approval annotation \"{ANNOTATION}\" with either a URL or a reason starting with \
             \"unapproved\", {SEE}"
        );
        (Approval::Invalid, text)
    }
}

pub(super) fn validate(object: &Object, old: Option<&Object>, errors: &mut Vec<FieldError>) {
    if !is_protected(object.text(&["spec", "group"])) {
        return;
    }
    let (approval, reason) = of(object);
    if old.is_some_and(|old| of(old).0 == approval) {
        return;
    }
    let field = format!("metadata.annotations[{ANNOTATION}]");
    match approval {
        Approval::Approved | Approval::Bypassed => {}
        Approval::Missing => errors.push(FieldError::required(field, reason)),
        Approval::Invalid => {
            errors.push(invalid_text(&field, object.annotation(ANNOTATION).unwrap_or_default(), reason));
        }
    }
}
