//! Bundles with manifests in catalogs for clusters that want none.

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::render::{self, MigrateLevel};
use fbc_model::{Bundle, Catalog, Property, bundle_object};
use fbc_yaml::edit::document;

use super::form_of_target;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC230",
    name: "bundle-objects-for-target",
    since: "0.1.0",
    summary: "A bundle holds `olm.bundle.object` in a catalog for OpenShift 4.17 or later",
    explanation: "\
From OpenShift 4.17 on, catalogs describe bundles with `olm.csv.metadata`. `olm.bundle.object` carries whole
manifests, makes catalogs several times larger, and pipelines refuse it for these versions. The rule looks at
every bundle, once for each target.

Render the catalog with `--migrate-level bundle-object-to-csv-metadata`.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("bundle_objects_for_target.cases"),
};

/// What opm's migration makes of the manifests in a bundle.
pub(crate) fn migration(bundle: &Bundle) -> Option<Fix> {
    let mut catalog = Catalog { bundles: vec![bundle.clone()], ..Catalog::default() };
    render::prepare(&mut catalog, MigrateLevel::ALL).ok()?;
    let is_object = |property: &Property| property.kind == bundle_object::PROPERTY_TYPE;
    let migrated = catalog.bundles.first().filter(|bundle| !bundle.properties.iter().any(is_object))?;
    let of_metadata =
        |bundle: &'_ Bundle| bundle.properties.iter().rfind(|one| one.kind == render::CSV_METADATA).cloned();
    let mut fix = Fix::risky("put `olm.csv.metadata` in their place, as opm's migration does");
    for (index, _) in bundle.properties.iter().enumerate().rev().filter(|(_, property)| is_object(property)) {
        fix = fix.remove(bundle.origin, format!("/properties/{index}"));
    }
    if of_metadata(bundle).is_some() {
        return Some(fix);
    }
    let metadata = of_metadata(migrated)?.value?;
    let property = document(|builder| {
        let (mark, kind) = (builder.open(), builder.string(render::CSV_METADATA));
        builder.push_member("type", kind);
        let value = builder.copy(metadata.node());
        builder.push_member("value", value);
        builder.close_object(mark)
    });
    Some(fix.append(bundle.origin, "/properties", property))
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    let (_, later) = context.parameters.split_targets(form_of_target::FIRST_WITH_METADATA);
    let help = "render the catalog with `--migrate-level bundle-object-to-csv-metadata`";
    form_of_target::forbid(
        &RULE,
        bundle_object::PROPERTY_TYPE,
        later,
        (help, Some(migration)),
        context,
        findings,
    );
}
