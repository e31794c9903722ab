//! Bundles without an image.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::bundle_object;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC032",
    name: "bundle-without-image",
    since: "0.1.0",
    summary: "A bundle has neither an image nor manifests",
    explanation: "\
The `image` of a bundle is what a cluster pulls to install it. Only a bundle that carries its manifests in
properties `olm.bundle.object` can do without.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Bundle.Validate")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_without_image.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let bundle = item.bundle;
        let has_objects = || bundle.properties.iter().any(|p| p.kind == bundle_object::PROPERTY_TYPE);
        if !bundle.image.is_empty() || has_objects() {
            continue;
        }
        let mut finding = Finding::new(&RULE, format!("bundle {} has no image", quote(&bundle.name)))
            .at(context.value(bundle.origin, "/image"))
            .about(item.subject())
            .label("no image")
            .help("add the `image` that it was rendered from");
        if let Some(view) = item.view {
            let text = "bundle image must be set".to_owned();
            finding = finding.opm(opm::bundle_leaf(view, &bundle.name, opm::leaf_order::IMAGE, text));
        }
        findings.push(finding);
    }
}
