//! Bundles without manifests in catalogs for clusters that read nothing else.

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::render::CSV_METADATA;

use super::form_of_target;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC231",
    name: "metadata-for-target",
    since: "0.1.0",
    summary: "A bundle holds `olm.csv.metadata` in a catalog for OpenShift before 4.17",
    explanation: "\
Before OpenShift 4.17, clusters read what they show of a bundle from `olm.bundle.object`, and pipelines refuse
`olm.csv.metadata`. The rule looks at every bundle, once for each target.

Render the catalog from the bundle images without `--migrate-level`. If it is for versions on both sides of
4.17, it takes two catalogs.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("metadata_for_target.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let (earlier, _) = context.parameters.split_targets(form_of_target::FIRST_WITH_METADATA);
    let help = "render the bundle image without `--migrate-level`";
    form_of_target::forbid(&RULE, CSV_METADATA, earlier, (help, None), context, findings);
}
