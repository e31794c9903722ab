//! Service accounts that OLM makes itself.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND020",
    name: "service-account",
    since: "0.1.0",
    summary: "A ServiceAccount of the bundle is one that the ClusterServiceVersion already stands for",
    explanation: "\
OLM makes the service accounts that the deployments of a ClusterServiceVersion name. A manifest of the same
account competes with it: the two take it from each other, and an update can leave the operator without rights.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/bundle.go",
        "validateServiceAccounts",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("service_account.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let of_deployments: BTreeSet<&str> =
        csv.deployments().filter_map(|deployment| deployment.pod()?.get_str("serviceAccountName")).collect();
    for object in &context.objects {
        if object.kind != "ServiceAccount" || !of_deployments.contains(object.name) {
            continue;
        }
        let message =
            format!("service account {} is made from the ClusterServiceVersion already", quote(object.name));
        findings.push(
            context
                .finding(&RULE, object.origin, "/metadata/name", message)
                .help("remove this file, or give the account another name"),
        );
    }
}
