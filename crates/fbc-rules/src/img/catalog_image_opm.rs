//! Catalog images without the program that serves them, or with several.

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG305",
    name: "catalog-image-opm",
    since: "0.1.0",
    summary: "The catalog image does not hold exactly one opm",
    explanation: "\
The pod of a CatalogSource runs `opm serve`, and pipelines validate the catalog with the opm of the image, so they want to
find exactly one file of that name. For OLM v1 none is needed. Without a look into all layers the rule finds nothing.
In the examples `facts.json` stands for what is known of the image.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("catalog_image_opm.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let image = context.images.image.as_ref();
    let Some(found) = image.and_then(|image| image.files_named(|name| name == "opm")) else { return };
    let message = match found.as_slice() {
        [_] => return,
        [] => "the catalog image holds no file named `opm`".to_owned(),
        several => {
            format!("the catalog image holds {} files named `opm`: {}", several.len(), several.join(", "))
        }
    };
    let help = "build it on an image that serves catalogs (`fbc build --base`), or with `--serve`";
    findings.push(Finding::new(&RULE, message).help(help));
}
