//! Images in ClusterServiceVersions from registries that are not allowed.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::policy::is_allowed;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG106",
    name: "csv-image-registry",
    since: "0.1.0",
    summary: "A ClusterServiceVersion names an image that is not from an allowed registry",
    explanation: "\
The same places as of IMG105, and the same registries as of IMG104: the list of the profile, or
`allowed-related-registries` in the configuration. Without a list the rule finds nothing.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "allowed_registries")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("csv_image_registry.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let allowed = &context.parameters.allowed_related_registries;
    if allowed.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        let description = context.manifests(item.number).and_then(|facts| facts.description.as_ref());
        for used in description.into_iter().flat_map(|description| &description.images) {
            let image = used.image.as_str();
            if is_allowed(image, allowed) {
                continue;
            }
            let (name, image) = (quote(&item.bundle.name), quote(image));
            findings.push(
                Finding::new(
                    &RULE,
                    format!(
                        "{} of bundle {name} names image {image} which is not from an allowed registry",
                        used.at
                    ),
                )
                .at(context.value(item.bundle.origin, used.pointer.as_str()))
                .about(item.subject())
                .label("not allowed")
                .help(format!("allowed are {}", allowed.join(", "))),
            );
        }
    }
}
