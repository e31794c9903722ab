//! Conversion webhooks without their custom resources.

use std::collections::{BTreeMap, BTreeSet};

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::Node;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND104",
    name: "conversion-webhook",
    since: "0.1.0",
    summary: "A conversion webhook converts what the bundle does not own, or what another converts",
    explanation: "\
`conversionCRDs` of a conversion webhook names CustomResourceDefinitions of the bundle that are owned, each in one
webhook only: OLM writes the address of the webhook into the definition. A conversion webhook without
`conversionCRDs` converts nothing.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckConversionWebhooksReferenceOwnedCRDs",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckConversionWebhookCRDReferenceUniqueness",
        ),
    ],
    basis: Basis::Olm,
    check: Check::Bundle(check),
    cases: include_str!("conversion_webhook.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let owned: BTreeSet<&str> = csv.custom_resources("owned").map(|(_, owned)| owned.name).collect();
    let mut converted_by: BTreeMap<&str, String> = BTreeMap::new();
    for (number, webhook) in csv.list("webhookdefinitions") {
        if webhook.get_str("type") != Some("ConversionWebhook") {
            continue;
        }
        let name = quote(webhook.get_str("generateName").unwrap_or_default());
        let start = format!("/spec/webhookdefinitions/{number}/conversionCRDs");
        let list = webhook.get("conversionCRDs");
        if list.is_none_or(Node::is_empty) {
            let message = format!("conversion webhook {name} has no `conversionCRDs`");
            let help = "name the definitions whose resources it converts";
            findings.push(context.finding(&RULE, csv.origin(), start.clone(), message).help(help));
        }
        for (index, item) in list.into_iter().flat_map(Node::items).enumerate() {
            let Some(definition) = item.as_str() else { continue };
            let (message, help) = if !owned.contains(definition) {
                (
                    format!("conversion webhook {name} converts {}, which is not owned", quote(definition)),
                    format!(
                        "{}add it to `spec.customresourcedefinitions.owned`, or remove it here",
                        names::did_you_mean(definition, owned.iter().copied())
                    ),
                )
            } else if let Some(other) = converted_by.insert(definition, name.clone()) {
                (
                    format!("conversion webhooks {other} and {name} both convert {}", quote(definition)),
                    "keep it in one of them".to_owned(),
                )
            } else {
                continue;
            };
            findings
                .push(context.finding(&RULE, csv.origin(), format!("{start}/{index}"), message).help(help));
        }
    }
}
