//! Writes the certificate of an authority where webhooks and API services are configured.
//!
//! Who asks for it says so in an annotation; which ones, and whose certificate it is, is up to who adds the controller.

use serde_json::Value;

use crate::api::{ApiServer, Caller, Subresource, WriteOptions};
use crate::controllers::write::outcome;
use crate::engine::{Controller, Outcome};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;

/// Group and kind.
type GroupKind = (&'static str, &'static str);

/// A kind of objects that hold certificates of authorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Injection {
    kind: GroupKind,
    name: &'static str,
    watches: &'static [GroupKind],
}

const fn target(kind: GroupKind, name: &'static str, watches: &'static [GroupKind]) -> Injection {
    Injection { kind, name, watches }
}

/// Every kind of objects that hold certificates of authorities.
pub const TARGETS: [Injection; 4] = [
    target(
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
        "ca-injector-mutating-webhooks",
        &[("admissionregistration.k8s.io", "MutatingWebhookConfiguration"), ("", "Secret")],
    ),
    target(
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
        "ca-injector-validating-webhooks",
        &[("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"), ("", "Secret")],
    ),
    target(
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        "ca-injector-definitions",
        &[("apiextensions.k8s.io", "CustomResourceDefinition"), ("", "Secret")],
    ),
    target(
        ("apiregistration.k8s.io", "APIService"),
        "ca-injector-api-services",
        &[("apiregistration.k8s.io", "APIService"), ("", "Secret")],
    ),
];

/// Finds the certificate that an object asks for, as `caBundle` holds it; nothing if it asks for none.
pub type Find = fn(&ApiServer, &Object) -> Option<String>;

/// Writes certificates into the objects of one kind.
#[derive(Debug)]
pub struct CaInjector {
    target: Injection,
    find: Find,
    caller: Caller,
}

impl CaInjector {
    /// An injector for a kind, which writes as this user.
    pub fn new(target: Injection, caller: Caller, find: Find) -> Self {
        Self { target, find, caller }
    }
}

impl Controller for CaInjector {
    fn name(&self) -> &'static str {
        self.target.name
    }

    fn watches(&self) -> &'static [GroupKind] {
        self.target.watches
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind == self.target.kind {
            requests.extend(change.after.is_some().then(|| change.key.name.clone()));
            return;
        }
        // A certificate that somebody waits for may be in the secret.
        let (group, kind) = self.target.kind;
        let asking = api.all(group, kind).filter(|object| (self.find)(api, object).is_some());
        requests.extend(asking.map(|object| object.object_name()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let (group, kind) = self.target.kind;
        let Some(present) = api.find(group, kind, request).cloned() else { return Outcome::Done };
        let Some(bundle) = (self.find)(api, &present) else { return Outcome::Done };
        let mut object = Object::clone(&present);
        inject(&mut object, &bundle);
        if object == *present {
            return Outcome::Done;
        }
        outcome(api.update(&self.caller, object, Subresource::None, WriteOptions::default()))
    }
}

/// Writes a certificate into every place of an object that holds one.
fn inject(object: &mut Object, bundle: &str) {
    for webhook in object.get_mut("webhooks").and_then(Value::as_array_mut).into_iter().flatten() {
        webhook.set(&["clientConfig", "caBundle"], bundle);
    }
    if object.text(&["spec", "conversion", "strategy"]) == "Webhook" {
        object.set(&["spec", "conversion", "webhook", "clientConfig", "caBundle"], bundle);
    }
    if object.kind() == "APIService" {
        object.set(&["spec", "caBundle"], bundle);
    }
}
