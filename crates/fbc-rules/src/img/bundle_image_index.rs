//! Bundle images that are indexes.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG308",
    name: "bundle-image-index",
    since: "0.1.0",
    summary: "The image of a bundle is an index of images for several platforms",
    explanation: "\
A bundle holds manifests and nothing that runs, so one image is enough for all platforms. Pipelines refuse an index: what its
digest names is not the image that was tested. `fbc validate --check-images` asks registries. In the examples `facts.json`
stands for the answers.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "olm_bundle_multi_arch")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("bundle_image_index.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context).filter(|item| context.images.indexes.contains(&item.bundle.image)) {
        let name = quote(&item.bundle.name);
        let message = format!("the image of bundle {name} is an index of images for several platforms");
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, "/image"))
                .about(item.subject())
                .help("build the bundle for one platform, and name that image"),
        );
    }
}
