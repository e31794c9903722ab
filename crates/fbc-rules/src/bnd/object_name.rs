//! Objects without a name.

use fbc_bundle::folder::CLUSTER_SERVICE_VERSION;
use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND023",
    name: "object-name",
    since: "0.1.0",
    summary: "An object of the bundle has no name",
    explanation: "\
Every object needs `metadata.name`: nothing can be applied to a cluster without. `generateName` makes a new
object at each attempt, which OLM cannot follow.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:pkg/lib/bundle/validate.go",
        "validateKubectlable",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("object_name.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for object in &context.objects {
        // That of the cluster service version is BND009's.
        if object.kind == CLUSTER_SERVICE_VERSION || object.kind.is_empty() || !object.name.is_empty() {
            continue;
        }
        let message = format!("the {} has no name", quote(object.kind));
        findings.push(
            context.finding(&RULE, object.origin, "/metadata/name", message).help("add `metadata.name`"),
        );
    }
}
