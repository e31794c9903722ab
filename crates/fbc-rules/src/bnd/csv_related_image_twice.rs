//! Related images of one name.

use std::collections::BTreeMap;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::images;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND220",
    name: "csv-related-image-twice",
    since: "0.1.0",
    summary: "Two related images have one name, or are the same",
    explanation: "\
Names under `spec.relatedImages` tell the images apart. Two different images of one name are a slip: an older digest that
was left behind, for instance. The same image under the same name a second time is of no use.",
    sources: &[Source::Advice("names are all that tells the images under `spec.relatedImages` apart")],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("csv_related_image_twice.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let mut first_images = BTreeMap::new();
    for (number, name, image) in images::listed(&csv).filter(|(_, name, _)| !name.is_empty()) {
        let first = *first_images.entry(name).or_insert((number, image));
        if first.0 == number {
            continue;
        }
        let (message, help) = if first.1 == image {
            (format!("related image {} is listed twice", quote(name)), "remove one of them")
        } else {
            (
                format!(
                    "related image {} is {} here and {} before",
                    quote(name),
                    quote(image),
                    quote(first.1)
                ),
                "give each image a name of its own, or remove the old one",
            )
        };
        let pointer = format!("/spec/relatedImages/{number}/name");
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    }
}
