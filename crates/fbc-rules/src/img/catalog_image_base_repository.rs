//! Catalog images that are built on another base than allowed.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::image_facts::repository_of;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG303",
    name: "catalog-image-base-repository",
    since: "0.1.0",
    summary: "The base of the catalog image is not an allowed one",
    explanation: "\
The base brings the program that serves the catalog, so those who publish catalogs allow few. The list is that of the
profile; `allowed-base-images` in the configuration sets another. Repositories are compared whole, without tag and digest.
In the examples `facts.json` stands for what is known of the image.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("catalog_image_base_repository.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let allowed = &context.parameters.allowed_base_images;
    let base = context.images.image.as_ref().and_then(|image| image.base()).map(repository_of);
    let Some(base) = base.filter(|_| !allowed.is_empty()) else { return };
    if allowed.iter().any(|allowed| allowed == base) {
        return;
    }
    let message = format!("the base {} of the catalog image is not an allowed one", quote(base));
    findings.push(Finding::new(&RULE, message).help(format!("allowed are {}", allowed.join(", "))));
}
