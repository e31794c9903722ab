//! Webhook configurations, and the services in front of the deployments that serve them.
//!
//! Source: `operator-framework/operator-controller:…/render/registryv1/generators/generators.go`.

use std::collections::{BTreeMap, BTreeSet};

use fbc_kubernetes::types::Named;
use fbc_kubernetes::types::named::{
    MUTATING_WEBHOOK_CONFIGURATION, SERVICE, VALIDATING_WEBHOOK_CONFIGURATION,
};
use fbc_yaml::Node;
use serde_json::{Value, json};

use super::certificates::{annotate_service, certificate_of, injection};
use super::json::{member, tree_of};
use super::{Object, Plan, Webhook, WebhookKind};

/// The port of a service whose webhook names none.
const DEFAULT_PORT: i64 = 443;

/// What a webhook takes over from its definition as it is.
const COPIED: [&str; 7] = [
    "rules",
    "failurePolicy",
    "matchPolicy",
    "objectSelector",
    "sideEffects",
    "timeoutSeconds",
    "admissionReviewVersions",
];

/// The configurations of one kind of admission webhook, one for each definition.
pub(super) fn configurations(plan: &Plan<'_>, kind: WebhookKind) -> Vec<Object> {
    let (name, of): (&str, Named) = match kind {
        WebhookKind::Validating => ("ValidatingWebhookConfiguration", VALIDATING_WEBHOOK_CONFIGURATION),
        WebhookKind::Mutating => ("MutatingWebhookConfiguration", MUTATING_WEBHOOK_CONFIGURATION),
        WebhookKind::Conversion => return Vec::new(),
    };
    let configuration = |webhook: Webhook<'_>| {
        let certificate = certificate_of(webhook.deployment);
        let mut hook = json!({
            "name": webhook.object_name(),
            "clientConfig": { "service": {
                "namespace": plan.namespace,
                "name": certificate.service,
                "path": tree_of(webhook.node.get("webhookPath")),
                "port": webhook.container_port(),
            } },
            "namespaceSelector": namespace_selector(&plan.targets),
        });
        for field in COPIED {
            *member(&mut hook, field) = tree_of(webhook.node.get(field));
        }
        if kind == WebhookKind::Mutating {
            *member(&mut hook, "reinvocationPolicy") = tree_of(webhook.node.get("reinvocationPolicy"));
        }
        // The configuration belongs to the cluster; that it has a namespace is the reference's doing.
        let mut metadata = json!({ "name": webhook.object_name(), "namespace": plan.namespace });
        if let Some((key, value)) = injection(plan, &certificate) {
            *member(member(&mut metadata, "annotations"), key) = Value::String(value);
        }
        let value = json!({
            "kind": name,
            "apiVersion": "admissionregistration.k8s.io/v1",
            "metadata": metadata,
            "webhooks": [hook],
        });
        Object::typed(&value, of)
    };
    plan.operator.webhooks_of(kind).map(configuration).collect()
}

/// Restricts a webhook to the watched namespaces; null for all.
fn namespace_selector(targets: &[String]) -> Value {
    if targets.iter().any(String::is_empty) {
        return Value::Null;
    }
    json!({ "matchExpressions": [
        { "key": "kubernetes.io/metadata.name", "operator": "In", "values": targets }
    ] })
}

/// A port of a service. The order is that of the service's list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Port {
    port: i64,
    /// The target as a number; 0 for a name.
    target_number: i64,
    target: String,
    is_name: bool,
}

impl Port {
    fn of(webhook: Webhook<'_>) -> Self {
        let port = Some(webhook.container_port() as i64).filter(|port| *port > 0).unwrap_or(DEFAULT_PORT);
        let target = webhook.node.get("targetPort");
        match target.and_then(Node::as_str) {
            Some(name) => {
                let target_number = name.parse().unwrap_or_default();
                Self { port, target_number, target: name.to_owned(), is_name: true }
            }
            None => {
                let number = target.and_then(Node::as_f64).map_or(port, |number| number as i64);
                Self { port, target_number: number, target: String::new(), is_name: false }
            }
        }
    }

    fn value(&self) -> Value {
        let target = if self.is_name { json!(self.target) } else { json!(self.target_number) };
        json!({ "name": self.port.to_string(), "port": self.port, "targetPort": target })
    }
}

/// The services, in the order of their deployments.
pub(super) fn services(plan: &Plan<'_>) -> Vec<Object> {
    let mut ports: BTreeMap<&str, BTreeSet<Port>> = BTreeMap::new();
    for webhook in plan.operator.webhooks() {
        ports.entry(webhook.deployment).or_default().insert(Port::of(webhook));
    }
    let service = |name: &str, spec: Node<'_>| {
        let certificate = certificate_of(name);
        let ports: Vec<Value> = ports.get(name)?.iter().map(Port::value).collect();
        let selector = spec.get("selector").and_then(|selector| selector.get("matchLabels"));
        let mut value = json!({
            "kind": "Service",
            "apiVersion": "v1",
            "metadata": { "name": certificate.service, "namespace": plan.namespace },
            "spec": { "ports": ports, "selector": tree_of(selector) },
        });
        annotate_service(plan, &certificate, &mut value);
        Some(Object::typed(&value, SERVICE))
    };
    plan.operator.deployments().filter_map(|deployment| service(deployment.name, deployment.spec)).collect()
}
