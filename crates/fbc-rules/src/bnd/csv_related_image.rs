//! Related images that are not image references.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::image_reference;

use super::images;
use crate::img::reference;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND018",
    name: "csv-related-image",
    since: "0.1.0",
    summary: "A related image of the ClusterServiceVersion is not an image reference",
    explanation: "\
`spec.relatedImages` lists every image that the operator may need, so that the bundle can be mirrored. Each must
have an image reference (see IMG001); operator-sdk refuses a bundle with another text, and mirroring fails over it.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/bundle.go",
        "validateRelatedImages",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("csv_related_image.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    for (number, name, image) in images::listed(&csv) {
        let pointer = format!("/spec/relatedImages/{number}/image");
        if image.is_empty() {
            let message = format!("related image {} has no image", quote(name));
            let help = "name the image, or remove the entry";
            let fix =
                Fix::risky("remove the entry").remove(csv.origin(), format!("/spec/relatedImages/{number}"));
            findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help).fix(fix));
        } else if let Err(error) = image_reference::parse(image) {
            let message = format!("related image {} is not an image reference: {error}", quote(image));
            let help = reference::help(image);
            let fix = reference::fix(csv.origin(), &pointer, image);
            findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help).fix_if(fix));
        }
    }
}
