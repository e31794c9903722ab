//! Related images that are not named by digest.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::reference;
use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG103",
    name: "related-image-digest",
    since: "0.1.0",
    summary: "A related image is not named by its digest",
    explanation: "\
Mirrors for disconnected clusters redirect digests, not tags, and a tag can be moved after a release was tested.
Release policies refuse related images without a digest. Bundles with the property `olm.deprecated` are left
alone, as in the pipeline, and so is the bundle image, of which IMG101 speaks.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "unpinned_related_images")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("related_image_digest.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        for (index, image) in reference::related_images(item.bundle) {
            if image.contains('@') {
                continue;
            }
            let (name, image) = (quote(&item.bundle.name), quote(image));
            findings.push(
                Finding::new(
                    &RULE,
                    format!("related image {image} of bundle {name} is not named by its digest"),
                )
                .at(context.value(item.bundle.origin, format!("/relatedImages/{index}/image")))
                .about(item.subject())
                .label("can be moved")
                .help("name the image by its digest: `registry/path@sha256:...`"),
            );
        }
    }
}
