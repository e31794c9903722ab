//! Images of bundles that are not image references.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::image_reference;

use super::reference;
use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG001",
    name: "bundle-image",
    since: "0.1.0",
    summary: "The image of a bundle is not an image reference",
    explanation: "\
An image reference is `registry/path:tag` or `registry/path@digest`: no `http://` before it, no capital
letters in the path, no spaces, a tag of at most 128 letters, digits, `_`, `.` and `-`, and a digest of
full length. Build metadata of a version cannot be part of a tag, because of the `+`.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "validateImagePullSpec",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_image.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let image = item.bundle.image.as_str();
        if image.is_empty() {
            continue;
        }
        let Err(error) = image_reference::parse(image) else { continue };
        let text = format!(
            "package {} bundle {} image: invalid image pull spec {}: {error}",
            quote(&item.bundle.package),
            quote(&item.bundle.name),
            quote(image)
        );
        findings.push(
            Finding::new(&RULE, format!("{} is not an image reference: {error}", quote(image)))
                .at(context.value(item.bundle.origin, "/image"))
                .about(item.subject())
                .label("no image reference")
                .fix_if(reference::fix(item.bundle.origin, "/image", image))
                .help(reference::help(image))
                .opm(item.conversion(7, 0, text)),
        );
    }
}
