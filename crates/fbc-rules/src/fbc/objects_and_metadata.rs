//! Bundles with both forms of manifests.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Bundle;
use fbc_model::bundle_object;
use fbc_model::render::CSV_METADATA;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC207",
    name: "objects-and-metadata",
    since: "0.1.0",
    summary: "Bundles have both `olm.bundle.object` and `olm.csv.metadata`",
    explanation: "\
`olm.csv.metadata` was made to replace the manifests in `olm.bundle.object`, which make catalogs several
times larger. With both, the catalog carries the same twice, and clusters of different versions show
different things if the two disagree.

Clusters before OpenShift 4.17 need `olm.bundle.object`, later ones `olm.csv.metadata`: render with the
migration level that fits the clusters of this catalog. A package is reported once.",
    sources: &[
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
            "extract-and-validate",
        ),
        Source::Code(
            "operator-framework/operator-registry:alpha/action/migrations/000_bundle_object_to_csv_metadata.go",
            "",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("objects_and_metadata.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        let object =
            |bundle: &Bundle| bundle.properties.iter().position(|p| p.kind == bundle_object::PROPERTY_TYPE);
        let has_metadata = |bundle: &Bundle| bundle.properties.iter().any(|p| p.kind == CSV_METADATA);
        let mut both = view
            .bundles
            .iter()
            .filter(|bundle| has_metadata(bundle))
            .filter_map(|bundle| Some((bundle, object(bundle)?)));
        let Some((first, index)) = both.next() else { continue };
        let more = both.count();
        let mut finding = Finding::new(
            &RULE,
            format!("bundle {} has both \"olm.bundle.object\" and \"olm.csv.metadata\"", quote(&first.name)),
        )
        .at(context.value(first.origin, format!("/properties/{index}")))
        .about(Subject::bundle(package, &first.name))
        .label("the same twice")
        .help("render the catalog with `--migrate-level` for the clusters that it is for");
        if more > 0 {
            finding = finding.note(format!("so it is with {more} more bundles of the package"));
        }
        findings.push(finding);
    }
}
