//! Bundles with several cluster service versions.

use fbc_bundle::folder::CLUSTER_SERVICE_VERSION;
use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND006",
    name: "several-csvs",
    since: "0.1.0",
    summary: "A bundle has more than one ClusterServiceVersion",
    explanation: "\
A bundle is one version of one operator. opm takes the first ClusterServiceVersion in the order of the file
names and drops the others without a word; operator-sdk refuses the bundle. Put each version into a bundle of
its own.",
    sources: &[Source::Code("operator-framework/api:pkg/manifests/bundleloader.go", "loadBundle")],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("several_csvs.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(first) = context.csv else { return };
    let others = context
        .objects
        .iter()
        .filter(|object| object.kind == CLUSTER_SERVICE_VERSION && object.origin != first.origin());
    for other in others {
        let message = format!(
            "{} is a second ClusterServiceVersion: only {} counts",
            quote(other.name),
            quote(first.object.name)
        );
        findings.push(
            context
                .finding(&RULE, other.origin, "/metadata/name", message)
                .label("one too many")
                .help("move it into a bundle of its own"),
        );
    }
}
