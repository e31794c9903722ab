//! Operators without a description.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::Node;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND228",
    name: "missing-description",
    since: "0.1.0",
    summary: "The operator, or a custom resource of it, has no description",
    explanation: "\
Users choose an operator by `spec.description`, which is Markdown and the main text of its page in a console, and read
`description` of each owned custom resource to know what it is for.",
    sources: &[
        Source::Code(
            "operator-framework/api:pkg/validation/internal/good_practices.go",
            "validateCrdDescriptions",
        ),
        Source::Code(
            "openshift/console:frontend/packages/operator-lifecycle-manager/src/hooks/useOperatorCatalogItems.tsx",
            "longDescription",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("missing_description.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    if csv.spec_text("description").trim().is_empty() {
        let message = "the ClusterServiceVersion has no `description`";
        let help = "describe the operator in Markdown";
        findings.push(context.finding(&RULE, csv.origin(), "/spec/description", message).help(help));
    }
    let owned = csv.spec("customresourcedefinitions").and_then(|section| section.get("owned"));
    for (number, item) in owned.into_iter().flat_map(Node::items).enumerate() {
        if !item.get_str("description").unwrap_or_default().trim().is_empty() {
            continue;
        }
        let name = quote(item.get_str("name").unwrap_or_default());
        let pointer = format!("/spec/customresourcedefinitions/owned/{number}");
        let message = format!("owned custom resource {name} has no description");
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help("say what it is for"));
    }
}
