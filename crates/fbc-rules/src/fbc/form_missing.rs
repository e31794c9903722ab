//! Bundles without the form that the clusters of a catalog read.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::bundle_object;
use fbc_model::render::CSV_METADATA;
use fbc_version::openshift_release::in_words;

use super::bundle_objects_for_target::migration;
use super::{form_of_target, opm};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC232",
    name: "form-missing",
    since: "0.1.0",
    summary: "A bundle lacks the property that the clusters of the catalog read",
    explanation: "\
Every bundle of a catalog for OpenShift 4.17 or later needs `olm.csv.metadata`; before, it needs
`olm.bundle.object`. Pipelines compare the number of properties with the number of bundles, so that two on one
bundle hide that another has none. This rule looks at every bundle by itself, once for each target.

Render the bundle image with the migration level that fits the clusters.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("form_missing.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let (earlier, later) = context.parameters.split_targets(form_of_target::FIRST_WITH_METADATA);
    for (kind, targets) in [(bundle_object::PROPERTY_TYPE, earlier), (CSV_METADATA, later)] {
        if targets.is_empty() {
            continue;
        }
        let lacks = |item: &opm::BundleInCatalog<'_, '_>| {
            !item.bundle.properties.iter().any(|property| property.kind == kind)
        };
        let mut fixes = 0..form_of_target::MOST_FIXES;
        for item in opm::bundles(context).filter(lacks) {
            let (name, kind, targets) = (quote(&item.bundle.name), quote(kind), in_words(targets));
            let is_later = item.bundle.properties.iter().any(|one| one.kind == bundle_object::PROPERTY_TYPE);
            let fix = fixes.next().filter(|_| is_later).and_then(|_| migration(item.bundle));
            findings.push(
                Finding::new(
                    &RULE,
                    format!("bundle {name} has no {kind}, which catalogs for {targets} need"),
                )
                .at(context.value(item.bundle.origin, "/properties"))
                .about(item.subject())
                .label("nothing that these clusters could show")
                .fix_if(fix)
                .help("render the bundle image with the migration level for these clusters"),
            );
        }
    }
}
