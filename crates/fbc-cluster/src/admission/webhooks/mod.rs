//! Admission webhooks, as configurations in the cluster ask for them.
//!
//! Who answers is up to a [`WebhookCaller`]: a [`stand_in`] in simulations, a client of HTTPS beside a real server. An
//! API server without a caller asks no webhook.
//!
//! Sources: `kubernetes/apiserver:pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go`,
//! `pkg/admission/plugin/webhook/errors/statuserror.go`.

pub mod stand_in;
#[cfg(test)]
mod tests;

use fbc_go::json::{ReadError, read_value};
use serde_json::{Value, json};

use super::policies::conditions_hold;
use super::request::Request;
use crate::api::ApiServer;
use crate::apply::patch::json_patch;
use crate::error::{ApiError, Reason};
use crate::object::{Object, ObjectFields};

/// The group of configurations.
const GROUP: &str = "admissionregistration.k8s.io";
/// Seconds that a webhook has unless its configuration says otherwise.
const TIMEOUT: i64 = 10;

/// A call of a webhook.
#[derive(Clone, Copy)]
pub struct WebhookCall<'c> {
    /// The name of the webhook.
    pub webhook: &'c str,
    /// `clientConfig`: a URL, or a service with a path and a port; and the certificate of the authority.
    pub client: &'c Value,
    /// Seconds that the webhook has.
    pub timeout: u64,
    /// `AdmissionReview` with `request`, in the first version that the webhook knows.
    pub review: &'c Value,
    /// True where the webhook may change the object.
    pub is_mutating: bool,
    /// The cluster that the webhook is called from.
    pub api: &'c ApiServer,
}

impl WebhookCall<'_> {
    /// The address that is called, as errors name it.
    pub fn url(&self) -> String {
        let timeout = self.timeout;
        let service = &self.client["service"];
        if service.is_null() {
            return format!("{}?timeout={timeout}s", self.client.text(&["url"]));
        }
        let (name, namespace) = (service.text(&["name"]), service.text(&["namespace"]));
        let port = service.number(&["port"]).unwrap_or(443);
        let path = service.text(&["path"]).trim_start_matches('/');
        format!("https://{name}.{namespace}.svc:{port}/{path}?timeout={timeout}s")
    }
}

/// Why a webhook says nothing about a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It gave no answer, in the words of the client: `Post "https://…": context deadline exceeded`.
    #[error("failed to call webhook: {0}")]
    NoAnswer(String),
    /// Its answer is not a response to the review.
    #[error("received invalid webhook response: {0}")]
    Invalid(String),
}

/// Reaches webhooks.
pub trait WebhookCaller: Send {
    /// Calls a webhook and gives back `response` of its `AdmissionReview`.
    ///
    /// # Errors
    /// The webhook cannot be reached, or does not answer in time.
    fn call(&self, call: &WebhookCall<'_>) -> Result<Value, CallError>;
}

/// Asks the mutating webhooks in the order of their configurations; true if the object is another one afterwards.
///
/// # Errors
/// A webhook denies the request, or cannot be reached and must not be passed over.
pub(crate) fn mutate(
    caller: &dyn WebhookCaller,
    request: &Request<'_>,
    object: &mut Object,
    api: &ApiServer,
) -> Result<bool, ApiError> {
    let before = object.clone();
    let webhooks = webhooks(request, "MutatingWebhookConfiguration", api);
    let mut asked: Vec<(&Value, Object)> = Vec::new();
    for webhook in &webhooks {
        ask_to_mutate(caller, webhook, request, object, api)?;
        asked.push((webhook, object.clone()));
    }
    // Who wants it is asked again if somebody changed the object afterwards.
    for (webhook, left) in asked {
        if webhook.text(&["reinvocationPolicy"]) == "IfNeeded" && left != *object {
            ask_to_mutate(caller, webhook, request, object, api)?;
        }
    }
    Ok(before != *object)
}

fn ask_to_mutate(
    caller: &dyn WebhookCaller,
    webhook: &Value,
    request: &Request<'_>,
    object: &mut Object,
    api: &ApiServer,
) -> Result<(), ApiError> {
    let request = Request { object: request.object.map(|_| &*object), ..*request };
    let Some(response) = ask(caller, webhook, true, &request, api)? else { return Ok(()) };
    let Some(patch) = patch_of(&response).map_err(|fault| failed(webhook, &fault.to_string()))? else {
        return Ok(());
    };
    *object = json_patch(object, &patch).map_err(|error| failed(webhook, &error.to_string()))?;
    Ok(())
}

/// Asks the validating webhooks.
///
/// # Errors
/// A webhook denies the request, or cannot be reached and must not be passed over.
pub(crate) fn validate(
    caller: &dyn WebhookCaller,
    request: &Request<'_>,
    api: &ApiServer,
) -> Result<(), ApiError> {
    for webhook in webhooks(request, "ValidatingWebhookConfiguration", api) {
        ask(caller, webhook, false, request, api)?;
    }
    Ok(())
}

/// The webhooks that a request concerns, in the order in which they are asked.
fn webhooks<'a>(request: &Request<'_>, kind: &str, api: &'a ApiServer) -> Vec<&'a Value> {
    if !request.is_asked_about() {
        return Vec::new();
    }
    let all = api.all(GROUP, kind).flat_map(|configuration| configuration.list(&["webhooks"]));
    all.filter(|webhook| request.fits_rules(webhook.list(&["rules"])) && request.fits_selectors(webhook, api))
        .collect()
}

/// Asks one webhook; nothing if it is passed over.
fn ask(
    caller: &dyn WebhookCaller,
    webhook: &Value,
    is_mutating: bool,
    request: &Request<'_>,
    api: &ApiServer,
) -> Result<Option<Value>, ApiError> {
    let name = webhook.text(&["name"]);
    let is_ignored = webhook.text(&["failurePolicy"]) == "Ignore";
    match conditions_hold(webhook.list(&["matchConditions"]), request, api) {
        Ok(true) => {}
        Ok(false) => return Ok(None),
        Err(_) if is_ignored => return Ok(None),
        Err(error) => {
            return Err(ApiError::forbidden(
                &request.kind.group,
                &request.kind.plural,
                request.about().name(),
                &error.to_string(),
            ));
        }
    }
    if request.dry_run && !["None", "NoneOnDryRun"].contains(&webhook.text(&["sideEffects"])) {
        let text = format!("admission webhook {name:?} does not support dry run");
        return Err(ApiError::bad_request(text));
    }
    let seconds = webhook.number(&["timeoutSeconds"]).unwrap_or(TIMEOUT);
    let known = ["v1", "v1beta1"];
    let mut versions = webhook.list(&["admissionReviewVersions"]).iter().filter_map(Value::as_str);
    let version = versions.find(|version| known.contains(version)).unwrap_or("v1");
    let review = json!({
        "apiVersion": format!("admission.k8s.io/{version}"), "kind": "AdmissionReview",
        "request": request.to_json(&api.new_review()),
    });
    let call = WebhookCall {
        webhook: name,
        client: &webhook["clientConfig"],
        timeout: u64::try_from(seconds).unwrap_or_default(),
        review: &review,
        is_mutating,
        api,
    };
    let response = match caller.call(&call) {
        Ok(response) => response,
        Err(_) if is_ignored => return Ok(None),
        Err(error) => return Err(failed(webhook, &error.to_string())),
    };
    let warnings = response.list(&["warnings"]).iter().filter_map(Value::as_str);
    api.warn(warnings.map(str::to_owned).collect());
    if response["allowed"] == true { Ok(Some(response)) } else { Err(denied(name, &response["status"])) }
}

/// The refusal of a webhook.
fn denied(name: &str, status: &Value) -> ApiError {
    let by = format!("admission webhook {name:?} denied the request");
    let message = match (status.text(&["message"]), status.text(&["reason"])) {
        ("", "") => format!("{by} without explanation"),
        ("", reason) => format!("{by}: {reason}"),
        (message, _) => format!("{by}: {message}"),
    };
    let code = status.number(&["code"]).and_then(|code| u16::try_from(code).ok()).unwrap_or_default();
    ApiError::denied(code, status.text(&["reason"]), message)
}

fn failed(webhook: &Value, cause: &str) -> ApiError {
    let name = webhook.text(&["name"]);
    let text = format!("Internal error occurred: failed calling webhook {name:?}: {cause}");
    ApiError::other(Reason::InternalError, text)
}

/// What is wrong with the patch in the response of a webhook.
#[derive(Debug, thiserror::Error)]
enum PatchFault {
    #[error("unsupported patch type {0:?}")]
    Type(String),
    #[error("webhook response has a patch that is not base64")]
    Base64,
    #[error(transparent)]
    Json(#[from] ReadError),
}

/// The operations of a response: base64 text with a JSON patch.
fn patch_of(response: &Value) -> Result<Option<Value>, PatchFault> {
    let Some(text) = response.get("patch").and_then(Value::as_str).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let kind = response.text(&["patchType"]);
    if !["", "JSONPatch"].contains(&kind) {
        return Err(PatchFault::Type(kind.to_owned()));
    }
    let bytes = fbc_go::base64::decode(text).map_err(|_| PatchFault::Base64)?;
    Ok(Some(read_value(&String::from_utf8_lossy(&bytes))?))
}
