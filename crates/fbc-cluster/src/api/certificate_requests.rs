//! Requests for certificates: whose they are, and which part of them a write may change.
//!
//! Source: `kubernetes/kubernetes:pkg/registry/certificates/certificates/strategy.go`.

use serde_json::{Value, json};

use super::Subresource;
use crate::access::User;
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};
use crate::time::Moment;

/// The fields of a request that say who sent it.
const REQUESTER: [&str; 4] = ["username", "uid", "groups", "extra"];

/// True for the kind of requests for certificates.
pub(super) fn is_request(kind: &Kind) -> bool {
    kind.group == "certificates.k8s.io" && kind.kind == "CertificateSigningRequest"
}

/// Makes a new request one of the user who sends it, whatever it says itself, and one that nobody has approved.
pub(super) fn begin(kind: &Kind, user: &User, request: &mut Object) {
    if !is_request(kind) {
        return;
    }
    let info = user.to_json();
    for field in REQUESTER {
        match info.given(&[field]) {
            Some(value) => request.set(&["spec", field], value.clone()),
            None => drop(request.remove(&["spec", field])),
        }
    }
    request.set(&["status"], json!({}));
}

/// Takes over from the old state what a write to this part cannot change, and says when conditions were written.
pub(super) fn follow(
    kind: &Kind,
    before: &Object,
    request: &mut Object,
    subresource: Subresource,
    now: Moment,
) {
    if !is_request(kind) {
        return;
    }
    request.set(&["spec"], before["spec"].clone());
    match subresource {
        Subresource::Status | Subresource::Approval => {}
        _ => return request.set(&["status"], before["status"].clone()),
    }
    let Some(Value::Array(conditions)) = request.pointer_mut("/status/conditions") else { return };
    for condition in conditions {
        let is_as_before =
            |old: &&Value| ["type", "status"].iter().all(|field| old[field] == condition[field]);
        let old = before.list(&["status", "conditions"]).iter().find(is_as_before);
        let since = old.and_then(|old| old.given(&["lastTransitionTime"])).cloned();
        for (field, time) in [("lastUpdateTime", None), ("lastTransitionTime", since)] {
            if condition.given(&[field]).is_none() {
                condition.set(&[field], time.unwrap_or_else(|| now.to_string().into()));
            }
        }
    }
}
