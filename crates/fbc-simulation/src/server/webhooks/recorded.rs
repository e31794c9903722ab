//! Answers of webhooks at URLs as a session holds them: written down when they come, given again when it is played again.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use fbc_cluster::admission::webhooks::stand_in::StandIn;
use fbc_cluster::admission::webhooks::{CallError, WebhookCall, WebhookCaller};
use fbc_cluster::object::ObjectFields as _;
use serde_json::{Value, json};

use crate::server::trace::Trace;
use crate::server::trace::TraceFault;

/// What becomes of a call: the response of a review, or why there is none.
type Answer = Result<Value, CallError>;

/// What is asked: the webhook and its address, the operation, and the object that it is about. The same is asked again
/// when an object changes again.
fn question(call: &WebhookCall<'_>) -> String {
    let request = &call.review["request"];
    let text = |path: &[&str]| request.text(path);
    let object = [
        text(&["resource", "group"]),
        text(&["resource", "resource"]),
        text(&["subResource"]),
        text(&["namespace"]),
        text(&["name"]),
    ];
    format!("{} {} {} {}", call.webhook, call.url(), text(&["operation"]), object.join("/"))
}

/// Writes an answer into a session.
pub(super) fn record(trace: &Trace, call: &WebhookCall<'_>, answer: &Answer) {
    let mut line = match answer {
        Ok(response) => json!({ "response": response }),
        Err(CallError::NoAnswer(why)) => json!({ "noAnswer": why }),
        Err(CallError::Invalid(why)) => json!({ "invalid": why }),
    };
    line["call"] = Value::String(question(call));
    trace.write(&json!({ "webhook": line }));
}

/// The webhooks of a session that is played again: each answer once, in their order, the last one for ever.
#[derive(Default)]
pub(crate) struct RecordedWebhooks {
    /// For webhooks behind services.
    services: StandIn,
    answers: RefCell<BTreeMap<String, VecDeque<Answer>>>,
}

impl RecordedWebhooks {
    /// The same answers, where webhooks behind services behave like this.
    pub(crate) fn with_services(self, services: StandIn) -> Self {
        Self { services, ..self }
    }

    /// Takes a line in. False if it does not speak of a webhook.
    pub(in crate::server) fn take(&mut self, line: &Value) -> Result<bool, TraceFault> {
        let Some(webhook) = line.get("webhook") else { return Ok(false) };
        let call = webhook["call"].as_str().ok_or(TraceFault::NoCall)?.to_owned();
        let why = |field: &str| webhook[field].as_str().map(str::to_owned);
        let answer = match (webhook.get("response"), why("noAnswer"), why("invalid")) {
            (Some(response), None, None) => Ok(response.clone()),
            (None, Some(why), None) => Err(CallError::NoAnswer(why)),
            (None, None, Some(why)) => Err(CallError::Invalid(why)),
            _ => return Err(TraceFault::NoResponse),
        };
        self.answers.get_mut().entry(call).or_default().push_back(answer);
        Ok(true)
    }
}

impl WebhookCaller for RecordedWebhooks {
    fn call(&self, call: &WebhookCall<'_>) -> Answer {
        if !super::is_at_url(call) {
            return self.services.call(call);
        }
        let question = question(call);
        let mut answers = self.answers.borrow_mut();
        let recorded = answers.get_mut(&question).and_then(|waiting| {
            if waiting.len() > 1 { waiting.pop_front() } else { waiting.front().cloned() }
        });
        recorded.unwrap_or_else(|| {
            let why = "the webhook was not called so in the session";
            Err(CallError::NoAnswer(format!("Post {:?}: {why}", call.url())))
        })
    }
}
