//! Catalog images without a variant for amd64.

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG301",
    name: "catalog-image-platform",
    since: "0.1.0",
    summary: "The catalog image has no variant for linux/amd64",
    explanation: "\
Pipelines look into the variant for amd64 alone, and clusters on amd64 are most of all. Without it, the pod of a
CatalogSource ends with `exec format error`. In the examples `facts.json` stands for what is known of the image.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "inspect-image",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("catalog_image_platform.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(image) = context.images.image.as_ref() else { return };
    // Nobody looked where there is none at all.
    if image.platforms.is_empty() || image.platforms.iter().any(|platform| platform == "linux/amd64") {
        return;
    }
    let known = image.platforms.join(", ");
    let message = format!("the catalog image has no variant for linux/amd64; it has {known}");
    findings
        .push(Finding::new(&RULE, message).help("build it for linux/amd64, too (`fbc build --platform`)"));
}
