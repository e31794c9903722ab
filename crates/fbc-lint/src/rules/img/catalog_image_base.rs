//! Catalog images that do not say what they are built on.

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::image_facts::BASE_ANNOTATION;
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "named",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
-- facts.json --
{\"image\": {\"annotations\": {\"org.opencontainers.image.base.name\": \"registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.17\"}}}
",
            findings: &[],
        },
        Case {
            title: "not named",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
-- facts.json --
{\"image\": {}}
",
            findings: &["- the catalog image has no annotation `org.opencontainers.image.base.name`"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(image) = context.images.image.as_ref() else { return };
    if image.base().is_none() {
        let message = format!("the catalog image has no annotation `{BASE_ANNOTATION}`");
        findings.push(Finding::new(&RULE, message).help("let the build write the name of the base image"));
    }
}
