//! Reading how workloads behave: behaviours, and packs of them by name.

use fbc_cluster::admission::webhooks::stand_in::{Answer, WebhookBehaviour};
use fbc_cluster::controllers::behaviour::{Behaviour, PACKS, pack};
use serde_json::Value;

use super::field::Field;

/// Fields that hold durations, which behaviours want in milliseconds.
const DURATIONS: [&str; 4] = ["delay", "jitter", "after", "stops"];

/// The fields of the behaviour of a webhook.
pub(crate) const WEBHOOK_FIELDS: [&str; 4] = ["webhook", "answer", "message", "patch"];

/// Reads how a webhook behaves: `{webhook: NAME, answer: deny, message: TEXT}`.
pub(super) fn webhook(field: &Field<'_>) -> Option<WebhookBehaviour> {
    field.only(&WEBHOOK_FIELDS)?;
    let webhook = field.get("webhook").and_then(|field| field.text()).unwrap_or_default().to_owned();
    let message = field.get("message").and_then(|field| field.text()).unwrap_or_default().to_owned();
    let answer = match field.required("answer")?.one_of(&WebhookBehaviour::ANSWERS)? {
        "deny" => Answer::Deny(message),
        "mutate" => Answer::Mutate(field.required("patch")?.value()),
        "time out" => Answer::TimeOut,
        "no endpoint" => Answer::NoEndpoint,
        _ => Answer::Allow,
    };
    Some(WebhookBehaviour { webhook, answer })
}

/// Reads a behaviour, or the name of a pack of them.
pub(super) fn behaviours(field: &Field<'_>) -> Vec<Behaviour> {
    if field.is_text() {
        return field.one_of(&PACKS).and_then(pack).unwrap_or_default();
    }
    if !field.is_object() {
        let help = format!("packs are {}", PACKS.join(", "));
        field.fault("must be a behavior, or the name of a pack", Some(help));
        return Vec::new();
    }
    let mut value = field.value();
    for name in DURATIONS {
        if let Some(member) = field.get(name) {
            let Some(span) = member.duration() else { return Vec::new() };
            value[name] = Value::from(span);
        }
    }
    match Behaviour::read(&value) {
        Ok(behaviour) => vec![behaviour],
        Err(text) => {
            field.fault(&format!("is not a behavior: {text}"), None);
            Vec::new()
        }
    }
}
