//! Catalog images without the program that probes the server.

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG306",
    name: "catalog-image-probe",
    since: "0.1.0",
    summary: "The catalog image has no grpc_health_probe",
    explanation: "\
The probes of a CatalogSource's pod run `grpc_health_probe`; without it the pod is never ready. For OLM v1 it is not
needed. Without a look into all layers the rule finds nothing. In the examples `facts.json` stands for what is known of the image.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("catalog_image_probe.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let image = context.images.image.as_ref();
    let found = image.and_then(|image| image.files_named(|name| name.starts_with("grpc_health_probe")));
    if found.is_some_and(|found| found.is_empty()) {
        let message = "the catalog image holds no file whose name begins with `grpc_health_probe`";
        findings.push(Finding::new(&RULE, message).help("build it on an image that serves catalogs"));
    }
}
