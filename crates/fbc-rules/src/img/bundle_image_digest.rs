//! Bundle images that are not named by digest.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::reference;
use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG101",
    name: "bundle-image-digest",
    since: "0.1.0",
    summary: "The image of a bundle does not end in a sha256 digest",
    explanation: "\
A tag can be moved; a digest cannot. Pipelines refuse a catalog whose bundle images do not end in `@sha256:` and
64 hexadecimal digits.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("bundle_image_digest.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let image = item.bundle.image.as_str();
        // A bundle without an image has a finding of its own where it needs one.
        if image.is_empty() || reference::ends_in_sha256(image) {
            continue;
        }
        let (name, image) = (quote(&item.bundle.name), quote(image));
        findings.push(
            Finding::new(&RULE, format!("image {image} of bundle {name} does not end in a sha256 digest"))
                .at(context.value(item.bundle.origin, "/image"))
                .about(item.subject())
                .label("can be moved")
                .help("name the image by its digest: `registry/path@sha256:...`"),
        );
    }
}
