//! Webhooks that intercept too much.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::Node;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND103",
    name: "webhook-rule",
    since: "0.1.0",
    summary: "A webhook intercepts all API groups, or those that OLM needs",
    explanation: "\
A webhook that answers for every API group, for OLM's own objects, or for webhook configurations can stop the
cluster from fixing the very operator that has failed. OLM refuses `*` and `operators.coreos.com` or
`olm.operatorframework.io` as API group, and `*`, `mutatingwebhookconfigurations` and
`validatingwebhookconfigurations` as resources of `admissionregistration.k8s.io`.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckWebhookRules",
        ),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/install/webhook.go",
            "ValidWebhookRules",
        ),
    ],
    basis: Basis::Olm,
    check: Check::Bundle(check),
    cases: include_str!("webhook_rule.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    for (number, webhook) in csv.list("webhookdefinitions") {
        let name = quote(webhook.get_str("generateName").unwrap_or_default());
        let rules = webhook.get("rules").into_iter().flat_map(Node::items).enumerate();
        for (rule_number, rule) in rules {
            let start = format!("/spec/webhookdefinitions/{number}/rules/{rule_number}");
            let mut report = |field: &str, message: String| {
                findings.push(
                    context
                        .finding(&RULE, csv.origin(), format!("{start}/{field}"), message)
                        .label("too much")
                        .help("name the API groups and resources that the webhook is for"),
                );
            };
            for (index, group) in texts(rule, "apiGroups") {
                if FORBIDDEN_GROUPS.contains(&group) {
                    let message = format!("webhook {name} intercepts API group {}", quote(group));
                    report(&format!("apiGroups/{index}"), message);
                }
                if group != ADMISSION {
                    continue;
                }
                for (index, resource) in texts(rule, "resources") {
                    if FORBIDDEN_RESOURCES.contains(&resource) {
                        let message =
                            format!("webhook {name} intercepts {} of {}", quote(resource), quote(ADMISSION));
                        report(&format!("resources/{index}"), message);
                    }
                }
            }
        }
    }
}

const FORBIDDEN_GROUPS: [&str; 3] = ["*", "operators.coreos.com", "olm.operatorframework.io"];
const ADMISSION: &str = "admissionregistration.k8s.io";
const FORBIDDEN_RESOURCES: [&str; 5] = [
    "*",
    "mutatingwebhookconfiguration",
    "mutatingwebhookconfigurations",
    "validatingwebhookconfiguration",
    "validatingwebhookconfigurations",
];

fn texts<'b>(rule: Node<'b>, list: &str) -> impl Iterator<Item = (usize, &'b str)> {
    let items = rule.get(list).into_iter().flat_map(Node::items).enumerate();
    items.filter_map(|(index, item)| Some((index, item.as_str()?)))
}
