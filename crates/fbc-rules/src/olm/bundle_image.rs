//! Bundles without an image.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM006",
    name: "bundle-image-for-v1",
    since: "0.1.0",
    summary: "A bundle has no image, and OLM v1 installs from images",
    explanation: "\
OLM v0 can install a bundle from the manifests in the catalog. OLM v1 pulls the image of the bundle, and has
nothing to install where there is none.",
    sources: &[Source::Code(
        "operator-framework/operator-controller:internal/operator-controller/controllers/clusterextension_reconcile_steps.go",
        "UnpackBundle",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("bundle_image.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context).filter(|item| item.bundle.image.is_empty()) {
        let name = quote(&item.bundle.name);
        findings.push(
            Finding::new(&RULE, format!("bundle {name} has no image, and OLM v1 installs from images"))
                .at(context.value(item.bundle.origin, "/image"))
                .about(item.subject())
                .label("no image")
                .help("build an image of the bundle and name it as `image`"),
        );
    }
}
