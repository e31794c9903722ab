//! Webhooks that OLM cannot make.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::names::did_you_mean;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::names;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND102",
    name: "webhook",
    since: "0.1.0",
    summary: "A webhook of the ClusterServiceVersion has no usable name, type or deployment",
    explanation: "\
OLM makes the webhook configurations from `spec.webhookdefinitions`, and lets them call a deployment of the same
ClusterServiceVersion. So `deploymentName` must be one of its deployments, `type` one of `ValidatingAdmissionWebhook`,
`MutatingAdmissionWebhook` and `ConversionWebhook`, and `generateName` an RFC 1123 subdomain that no other webhook of
the type has. `sideEffects` and `admissionReviewVersions` must be given.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckWebhookDeploymentReferentialIntegrity",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckWebhookNameUniqueness",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckWebhookNameIsDNS1123SubDomain",
        ),
        Source::Code(
            "operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion_types.go",
            "WebhookDescription",
        ),
    ],
    basis: Basis::Olm,
    check: Check::Bundle(check),
    cases: include_str!("webhook.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let deployments: BTreeSet<&str> = csv.deployments().map(|deployment| deployment.name).collect();
    let mut seen = BTreeSet::new();
    for (number, webhook) in csv.list("webhookdefinitions") {
        let text = |key: &str| webhook.get_str(key).unwrap_or_default();
        let (kind, name, deployment) = (text("type"), text("generateName"), text("deploymentName"));
        let shown = quote(name);
        let mut report = |field: &str, message: String, help: String| {
            let pointer = format!("/spec/webhookdefinitions/{number}/{field}");
            findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
        };
        if !TYPES.contains(&kind) {
            let question = did_you_mean(kind, TYPES);
            let message = format!("{} is not a type of webhook", quote(kind));
            report("type", message, format!("{question}known are {}", TYPES.join(", ")));
        }
        if !names::is_dns_subdomain(name) {
            let message = format!("{shown} is not a name for a webhook");
            report("generateName", message, "use lower-case letters, digits, `-` and `.`".to_owned());
        } else if !seen.insert((kind, name)) {
            let message = format!("webhook {shown} of this type is there twice");
            report("generateName", message, "rename one of them".to_owned());
        }
        if !deployments.contains(deployment) {
            let message = format!(
                "webhook {shown} calls deployment {}, which the ClusterServiceVersion has not",
                quote(deployment)
            );
            let question = did_you_mean(deployment, deployments.iter().copied());
            report("deploymentName", message, format!("{question}name one of the deployments"));
        }
        for (field, example) in [("sideEffects", "None"), ("admissionReviewVersions", "[v1]")] {
            if webhook.get(field).is_none_or(|value| value.is_null()) {
                let message = format!("webhook {shown} has no `{field}`");
                report(field, message, format!("add `{field}: {example}`"));
            }
        }
    }
}

const TYPES: [&str; 3] = ["ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", "ConversionWebhook"];
