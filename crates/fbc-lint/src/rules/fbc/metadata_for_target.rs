//! Bundles without manifests in catalogs for clusters that read nothing else.

use super::{form_of_target, opm};
use crate::context::Context;
use crate::finding::Findings;
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[Case {
        title: "a catalog for 4.17 with metadata; for 4.16 it would be wrong",
        files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.csv.metadata, value: {}}
",
        findings: &[],
    }],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let (earlier, _) = context.parameters.split_targets(form_of_target::FIRST_WITH_METADATA);
    let help = "render the bundle image without `--migrate-level`";
    form_of_target::forbid(&RULE, opm::METADATA_PROPERTY_TYPE, earlier, (help, None), context, findings);
}
