//! Custom resource definitions.
//!
//! Source: `operator-framework/operator-controller:…/render/registryv1/generators/generators.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_yaml::{Document, Node};
use serde_json::{Value, json};

use super::certificates::{certificate_of, injection};
use super::json::{tree_of, with};
use super::{Object, Plan, Refusal, Webhook, WebhookKind};

/// The definitions in the order of their files; those with a conversion webhook point to it.
pub(super) fn definitions(plan: &Plan<'_>) -> Result<Vec<Object>, Refusal> {
    let mut webhooks = BTreeMap::new();
    for webhook in plan.operator.webhooks_of(WebhookKind::Conversion) {
        webhooks.extend(webhook.converted_definitions().map(|definition| (definition, webhook)));
    }
    let mut objects = Vec::with_capacity(plan.bundle.definitions.len());
    for definition in &plan.bundle.definitions {
        let unchanged = Object::new(Arc::clone(&definition.object));
        objects.push(match webhooks.get(unchanged.name.as_str()) {
            Some(webhook) => converted(plan, &unchanged, *webhook)?,
            None => unchanged,
        });
    }
    Ok(objects)
}

/// A definition whose versions a webhook converts.
fn converted(plan: &Plan<'_>, definition: &Object, webhook: Webhook<'_>) -> Result<Object, Refusal> {
    let root = definition.value.root();
    let preserves = root.get("spec").and_then(|spec| spec.get("preserveUnknownFields"));
    if preserves.and_then(Node::as_bool) == Some(true) {
        return Err(Refusal::of(format!(
            "custom resource definition '{}' must have .spec.preserveUnknownFields set to false to let API Server call \
             webhook to do the conversion",
            definition.name
        )));
    }
    let certificate = certificate_of(webhook.deployment);
    let conversion = json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": { "service": {
                "namespace": plan.namespace,
                "name": certificate.service,
                "path": webhook.node.get_str("webhookPath").unwrap_or("/"),
                "port": webhook.container_port(),
            } },
            "conversionReviewVersions": tree_of(webhook.node.get("admissionReviewVersions")),
        },
    });
    let mut value: Document = with(root, &["spec", "conversion"], &conversion);
    if let Some((key, text)) = injection(plan, &certificate) {
        value = with(value.root(), &["metadata", "annotations", key], &Value::String(text));
    }
    Ok(Object::new(Arc::new(value)))
}
