//! Related images that are not image references.

use std::collections::HashSet;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::image_reference;

use super::reference;
use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG002",
    name: "related-image",
    since: "0.1.0",
    summary: "A related image is not an image reference",
    explanation: "\
`relatedImages` names the images that a bundle needs, so that they can be mirrored. Each must be an image
reference: `registry/path:tag` or `registry/path@digest`.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "validateImagePullSpec",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("related_image.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // The bundles of a package have most of their images in common.
    let mut good = HashSet::new();
    for item in opm::bundles(context) {
        for (index, related) in item.bundle.related_images.iter().enumerate() {
            let image = related.image.as_str();
            if image.is_empty() || good.contains(image) {
                continue;
            }
            let Err(error) = image_reference::parse(image) else {
                good.insert(image);
                continue;
            };
            let text = format!(
                "package {} bundle {} relatedImages[{index}].image: invalid image pull spec {}: {error}",
                quote(&item.bundle.package),
                quote(&item.bundle.name),
                quote(image)
            );
            findings.push(
                Finding::new(
                    &RULE,
                    format!("related image {} is not an image reference: {error}", quote(image)),
                )
                .at(context.value(item.bundle.origin, format!("/relatedImages/{index}/image")))
                .about(item.subject())
                .label("no image reference")
                .fix_if(reference::fix(item.bundle.origin, &format!("/relatedImages/{index}/image"), image))
                .help(reference::help(image))
                .opm(item.conversion(8, index, text)),
            );
        }
    }
}
