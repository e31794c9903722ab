//! Images that are used and not listed.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::images::{self, Reason};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND219",
    name: "unlisted-image",
    since: "0.1.0",
    summary: "An image that the operator uses is not among its related images",
    explanation: "\
Tools that mirror an operator copy its related images and nothing else. opm adds the images of the deployments to
those under `spec.relatedImages`, but not those that the operator gets in environment variables `RELATED_IMAGE_...`: on
a cluster without a way to the internet these cannot be pulled. Where there is a list, it should be complete.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/action/render.go", "getRelatedImages"),
        Source::Advice("mirrors copy the related images of a bundle and nothing else"),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("unlisted_image.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let listed: BTreeSet<&str> = images::listed(&csv).map(|(_, _, image)| image).collect();
    let mut reported = BTreeSet::new();
    for used in images::used(&csv) {
        // Without a list opm makes one of the images of containers.
        let is_needed = used.reason == Reason::Variable || !listed.is_empty();
        if !is_needed || listed.contains(used.image) || !reported.insert(used.image) {
            continue;
        }
        let message = format!("image {} is not under `relatedImages`", quote(used.image));
        let label = match used.reason {
            Reason::Container => "a container runs it",
            Reason::Variable => "the operator gets it in a variable",
            Reason::Annotation => "users see it",
        };
        findings.push(
            context
                .finding(&RULE, csv.origin(), used.pointer, message)
                .label(label)
                .help(format!("add `{{name: ..., image: {}}}` to `spec.relatedImages`", used.image)),
        );
    }
}
