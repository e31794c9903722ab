//! What a webhook answers to a review.

use fbc_cluster::admission::webhooks::{CallError, WebhookCall};
use serde_json::Value;

/// The response of a review.
///
/// Source: `kubernetes/apiserver:pkg/admission/plugin/webhook/request/admissionreview.go` (`VerifyAdmissionResponse`).
pub(super) fn response_of(body: &[u8], call: &WebhookCall<'_>) -> Result<Value, CallError> {
    let mut answer: Value =
        serde_json::from_slice(body).map_err(|error| CallError::NoAnswer(error.to_string()))?;
    let response = answer.get_mut("response").map(Value::take).unwrap_or_default();
    if response.is_null() {
        return Err(CallError::Invalid("webhook response was absent".to_owned()));
    }
    // The older version leaves out what the answer is.
    let is_checked = call.review["apiVersion"] == "admission.k8s.io/v1";
    match fault(&answer, &response, call).filter(|_| is_checked) {
        Some(fault) => Err(CallError::Invalid(fault)),
        None => Ok(response),
    }
}

/// What keeps a response from being one to the review of a call.
fn fault(answer: &Value, response: &Value, call: &WebhookCall<'_>) -> Option<String> {
    fn text<'v>(of: &'v Value, field: &str) -> &'v str {
        of[field].as_str().unwrap_or_default()
    }
    let (wanted, found) = (text(&call.review["request"], "uid"), text(response, "uid"));
    if wanted != found {
        return Some(format!("expected response.uid={wanted:?}, got {found:?}"));
    }
    let (found, kind) = (text(answer, "apiVersion"), text(answer, "kind"));
    if found != text(call.review, "apiVersion") || kind != "AdmissionReview" {
        let (group, version) = found.split_once('/').unwrap_or(("", found));
        return Some(format!(
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {group}/{version}, Kind={kind}"
        ));
    }
    let (has_patch, patch_type) = (!text(response, "patch").is_empty(), response["patchType"].as_str());
    let fault = match (call.is_mutating, has_patch, patch_type) {
        (true, true, None) => "webhook returned response.patch but not response.patchType",
        (true, false, Some(_)) => "webhook returned response.patchType but not response.patch",
        (true, true, Some("")) => "webhook returned invalid response.patchType of \"\"",
        (false, true, _) => "validating webhook may not return response.patch",
        (false, false, Some(_)) => "validating webhook may not return response.patchType",
        _ => return None,
    };
    Some(fault.to_owned())
}
