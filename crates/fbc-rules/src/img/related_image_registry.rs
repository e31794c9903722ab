//! Related images from registries that are not allowed.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::policy::is_allowed;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::reference;
use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG104",
    name: "related-image-registry",
    since: "0.1.0",
    summary: "A related image is not from an allowed registry",
    explanation: "\
Release policies take images only from registries that customers may pull from. The list is that of the profile;
`allowed-related-registries` in the configuration sets another. Without a list the rule finds nothing. Bundles
with the property `olm.deprecated` are left alone, as in the pipeline, and so is the bundle image, of which
IMG102 speaks.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "allowed_registries_related")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("related_image_registry.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let allowed = &context.parameters.allowed_related_registries;
    if allowed.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        for (index, image) in reference::related_images(item.bundle) {
            if is_allowed(image, allowed) {
                continue;
            }
            let (name, image) = (quote(&item.bundle.name), quote(image));
            findings.push(
                Finding::new(
                    &RULE,
                    format!("related image {image} of bundle {name} is not from an allowed registry"),
                )
                .at(context.value(item.bundle.origin, format!("/relatedImages/{index}/image")))
                .about(item.subject())
                .label("not allowed")
                .help(format!("allowed are {}", allowed.join(", "))),
            );
        }
    }
}
