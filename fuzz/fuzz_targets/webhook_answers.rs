//! Any JSON as what admission webhooks answer to one request after another: each request is done or refused, and objects
//! keep their names.
//! The input is the answers with a line `=======` between them.
#![no_main]

use std::sync::Mutex;

use fbc_cluster::admission::webhooks::{CallError, WebhookCall, WebhookCaller};
use fbc_cluster::api::{ApiServer, Caller, WriteOptions};
use fbc_cluster::control_plane::api_server;
use fbc_cluster::object::ObjectFields as _;
use fbc_cluster::time::Moment;
use fbc_fuzz::parts;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

thread_local! {
    static EMPTY: ApiServer = api_server(&["sea"], 1, Moment::START);
}

/// Webhooks that give these answers, the last first.
struct Answers(Mutex<Vec<Value>>);

impl WebhookCaller for Answers {
    fn call(&self, _: &WebhookCall<'_>) -> Result<Value, CallError> {
        let next = self.0.lock().expect("a list").pop();
        next.ok_or_else(|| CallError::NoAnswer("there is no more".to_owned()))
    }
}

fn configuration(kind: &str, policy: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "watch"},
        "webhooks": [{
            "name": "watch.sea.example", "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://sea.example/"}, "failurePolicy": policy,
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["*"]}],
        }],
    })
}

fuzz_target!(|text: &str| {
    let mut answers: Vec<Value> =
        parts::<4>(text).into_iter().map(|part| serde_json::from_str(part).unwrap_or_default()).collect();
    answers.reverse();
    let mut api = EMPTY.with(ApiServer::copy);
    let caller = Caller::administrator("fuzz");
    for (kind, policy) in
        [("MutatingWebhookConfiguration", "Fail"), ("ValidatingWebhookConfiguration", "Ignore")]
    {
        api.create(&caller, configuration(kind, policy), WriteOptions::default()).expect("a configuration");
    }
    api.set_webhook_caller(Box::new(Answers(Mutex::new(answers))));
    for name in ["a", "b"] {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "sea"}, "data": {"c": "1"},
        });
        if let Ok(made) = api.create(&caller, map, WriteOptions::default()) {
            assert_eq!(made.name(), name);
        }
    }
});
