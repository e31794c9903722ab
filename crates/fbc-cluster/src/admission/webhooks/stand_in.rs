//! A stand-in for the webhooks of bundles: they answer once their pods are ready, as behaviours say.
//!
//! Without a behaviour a webhook allows everything, as far as it can be reached: its service is there, a pod of it is
//! ready, and the configuration holds the certificate of an authority.
//!
//! Source of the texts: `kubernetes/kubernetes:staging/src/k8s.io/apiserver/pkg/util/proxy/proxy.go`, `net/http`,
//! `crypto/x509`.

use serde_json::{Value, json};

use super::{CallError, WebhookCall, WebhookCaller};
use crate::object::{ObjectFields, ObjectName};

/// What a webhook does.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It allows the request.
    Allow,
    /// It denies the request with this text.
    Deny(String),
    /// It allows the request and changes the object: operations of a JSON patch.
    Mutate(Value),
    /// It does not answer in time.
    TimeOut,
    /// No pod is there to answer.
    NoEndpoint,
}

/// How webhooks behave.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookBehaviour {
    /// The name of the webhook; empty for all.
    pub webhook: String,
    /// What it does.
    pub answer: Answer,
}

impl WebhookBehaviour {
    /// The answers, as scenarios write them.
    pub const ANSWERS: [&'static str; 5] = ["allow", "deny", "mutate", "time out", "no endpoint"];
}

/// Answers in the place of webhooks.
#[derive(Debug, Clone, Default)]
pub struct StandIn {
    behaviours: Vec<WebhookBehaviour>,
}

impl StandIn {
    /// Webhooks that behave like this; the first behaviour that fits counts.
    pub fn new(behaviours: Vec<WebhookBehaviour>) -> Self {
        Self { behaviours }
    }
}

impl WebhookCaller for StandIn {
    fn call(&self, call: &WebhookCall<'_>) -> Result<Value, CallError> {
        let behaviour =
            self.behaviours.iter().find(|one| one.webhook.is_empty() || one.webhook == call.webhook);
        let failed = |cause: String| CallError::NoAnswer(format!("Post {:?}: {cause}", call.url()));
        let service = call.client.text(&["service", "name"]);
        let no_endpoint = || failed(format!("no endpoints available for service {service:?}"));
        let uid = &call.review["request"]["uid"];
        let allowed = json!({"uid": uid, "allowed": true});
        match behaviour.map(|behaviour| &behaviour.answer) {
            None => {
                if let Some(cause) = unreachable(call) {
                    return Err(failed(cause));
                }
                Ok(allowed)
            }
            Some(Answer::Allow) => Ok(allowed),
            Some(Answer::Deny(message)) => {
                Ok(json!({"uid": uid, "allowed": false, "status": {"message": message, "code": 403}}))
            }
            Some(Answer::Mutate(operations)) => {
                let patch = fbc_go::base64::encode(operations.to_string().as_bytes());
                Ok(json!({"uid": uid, "allowed": true, "patchType": "JSONPatch", "patch": patch}))
            }
            Some(Answer::TimeOut) => Err(failed("context deadline exceeded".to_owned())),
            Some(Answer::NoEndpoint) => Err(no_endpoint()),
        }
    }
}

/// Why a webhook cannot be reached; webhooks at a URL are elsewhere, and always can.
fn unreachable(call: &WebhookCall<'_>) -> Option<String> {
    let service = call.client.given(&["service"])?;
    let name = ObjectName::namespaced(service.text(&["namespace"]), service.text(&["name"]));
    if call.api.find("", "Service", &name).is_none() {
        return Some(format!("service {:?} not found", name.name));
    }
    let mut slices = call.api.all("discovery.k8s.io", "EndpointSlice").filter(|slice| {
        slice.namespace() == name.namespace
            && slice.label("kubernetes.io/service-name") == Some(name.name.as_str())
    });
    let is_ready =
        |endpoint: &Value| endpoint.at(&["conditions", "ready"]).is_some_and(|ready| ready == true);
    if !slices.any(|slice| slice.list(&["endpoints"]).iter().any(is_ready)) {
        return Some(format!("no endpoints available for service {:?}", name.name));
    }
    if call.client.text(&["caBundle"]).is_empty() {
        return Some(
            "tls: failed to verify certificate: x509: certificate signed by unknown authority".to_owned(),
        );
    }
    None
}
