//! Install modes that leave nothing.

use fbc_go::text::quote;
use fbc_lint::bundle::{BundleContext, ClusterServiceVersion};
use fbc_lint::finding::Findings;
use fbc_lint::fix::{Fix, Operation};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::Node;
use fbc_yaml::edit::document;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND012",
    name: "install-modes",
    since: "0.1.0",
    summary: "A ClusterServiceVersion supports no install mode, or another than conversion webhooks allow",
    explanation: "\
`spec.installModes` says which namespaces the operator can watch: `OwnNamespace`, `SingleNamespace`,
`MultiNamespace`, `AllNamespaces`. At least one must be supported. An operator with a conversion webhook serves
the whole cluster, so it may support `AllNamespaces` only.",
    sources: &[Source::Code("operator-framework/api:pkg/validation/internal/csv.go", "validateInstallModes")],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("install_modes.cases"),
};

/// Supports `AllNamespaces` and nothing else.
fn only_all_namespaces(csv: &ClusterServiceVersion<'_>) -> Fix {
    let fix = Fix::risky("support `AllNamespaces` alone");
    csv.list("installModes").fold(fix, |fix, (number, mode)| {
        let is_all = mode.get_str("type") == Some("AllNamespaces");
        let value = document(|builder| builder.boolean(is_all));
        let pointer = format!("/spec/installModes/{number}/supported");
        fix.edit(csv.origin(), Operation::Set { pointer, value })
    })
}

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    if csv.list("installModes").next().is_none() {
        findings.push(
            context
                .finding(
                    &RULE,
                    csv.origin(),
                    "/spec/installModes",
                    "the ClusterServiceVersion declares no install modes",
                )
                .help("list the four install modes under `installModes`, each with `supported: true` or `false`"),
        );
        return;
    }
    let is_supported = |mode: Node<'_>| mode.get("supported").and_then(Node::as_bool) == Some(true);
    if !csv.list("installModes").any(|(_, mode)| is_supported(mode)) {
        findings.push(
            context
                .finding(&RULE, csv.origin(), "/spec/installModes", "no install mode is supported")
                .help("set `supported: true` for the install modes that the operator has"),
        );
    }
    let others_are_supported = csv.list("installModes").any(|(_, mode)| {
        let is_all = mode.get_str("type") == Some("AllNamespaces");
        is_all != is_supported(mode)
    });
    for (number, webhook) in csv.list("webhookdefinitions") {
        let converts = webhook.get("conversionCRDs").is_some_and(|list| !list.is_empty());
        if converts && others_are_supported {
            let message = format!(
                "conversion webhook {} allows no install mode but \"AllNamespaces\"",
                quote(webhook.get_str("generateName").unwrap_or_default())
            );
            let pointer = format!("/spec/webhookdefinitions/{number}/conversionCRDs");
            findings.push(
                context
                    .finding(&RULE, csv.origin(), pointer, message)
                    .help("support `AllNamespaces`, and set the other install modes to `supported: false`")
                    .fix(only_all_namespaces(&csv)),
            );
        }
    }
}
