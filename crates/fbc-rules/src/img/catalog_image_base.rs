//! Catalog images that do not say what they are built on.

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::image_facts::BASE_ANNOTATION;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG302",
    name: "catalog-image-base",
    since: "0.1.0",
    summary: "The catalog image does not name its base image",
    explanation: "\
Pipelines take the base image from the annotation `org.opencontainers.image.base.name` of the manifest: to judge it, and
to learn for which OpenShift release the catalog is. `fbc build --annotation` writes it, Konflux does so by itself.
In the examples `facts.json` stands for what is known of the image.",
    sources: &[
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
            "inspect-image",
        ),
        Source::Code("konflux-ci/konflux-test:test/utils.sh", "get_base_image"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("catalog_image_base.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(image) = context.images.image.as_ref() else { return };
    if image.base().is_none() {
        let message = format!("the catalog image has no annotation `{BASE_ANNOTATION}`");
        findings.push(Finding::new(&RULE, message).help("let the build write the name of the base image"));
    }
}
