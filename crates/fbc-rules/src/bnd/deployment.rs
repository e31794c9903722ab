//! Deployments that OLM cannot make.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::names;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND101",
    name: "deployment",
    since: "0.1.0",
    summary: "A deployment of the ClusterServiceVersion has no usable name",
    explanation: "\
OLM makes a Deployment of each entry of `spec.install.spec.deployments`. Names must be there once each, and be RFC
1123 subdomains: lower-case letters, digits, `-` and `.`. The only strategy is `deployment`.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckDeploymentSpecUniqueness",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckDeploymentNameIsDNS1123SubDomain",
        ),
    ],
    basis: Basis::Olm,
    check: Check::Bundle(check),
    cases: include_str!("deployment.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let mut seen = BTreeSet::new();
    for deployment in csv.deployments() {
        let name = quote(deployment.name);
        let (message, help) = if deployment.name.is_empty() {
            ("a deployment has no name".to_owned(), "add `name`")
        } else if !names::is_dns_subdomain(deployment.name) {
            (format!("{name} is not a name for a deployment"), "use lower-case letters, digits, `-` and `.`")
        } else if !seen.insert(deployment.name) {
            (format!("deployment {name} is there twice"), "rename one of them")
        } else {
            continue;
        };
        let pointer = format!("{}/name", deployment.pointer);
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    }
    let strategy = csv.spec("install").and_then(|install| install.get_str("strategy")).unwrap_or_default();
    if !matches!(strategy, "" | "deployment") {
        let message = format!("{} is not an install strategy", quote(strategy));
        findings.push(
            context
                .finding(&RULE, csv.origin(), "/spec/install/strategy", message)
                .help("write `strategy: deployment`"),
        );
    }
}
