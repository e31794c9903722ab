//! Bundle images from registries that are not allowed.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::policy::is_allowed;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG102",
    name: "bundle-image-registry",
    since: "0.1.0",
    summary: "The image of a bundle is not from an allowed registry",
    explanation: "\
Those who publish catalogs take bundle images only from registries of their own. The list is that of the profile;
`allowed-registries` in the configuration sets another. An entry is the beginning of a reference:
`registry.redhat.io/` or `quay.io/my-organization`. Without a list the rule finds nothing.",
    sources: &[
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
            "extract-and-validate",
        ),
        Source::Code(
            "redhat-openshift-ecosystem/operator-pipelines:operatorcert/static_tests/common/operator_catalogs.py",
            "check_bundle_images_in_fbc",
        ),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("bundle_image_registry.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let allowed = &context.parameters.allowed_registries;
    if allowed.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        let image = item.bundle.image.as_str();
        if image.is_empty() || is_allowed(image, allowed) {
            continue;
        }
        let (name, image) = (quote(&item.bundle.name), quote(image));
        findings.push(
            Finding::new(&RULE, format!("image {image} of bundle {name} is not from an allowed registry"))
                .at(context.value(item.bundle.origin, "/image"))
                .about(item.subject())
                .label("not allowed")
                .help(format!("allowed are {}", allowed.join(", "))),
        );
    }
}
