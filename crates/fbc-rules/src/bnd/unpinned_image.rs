//! Images without a digest.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::image_reference;

use super::images::{self, Reason};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND221",
    name: "unpinned-image",
    since: "0.1.0",
    summary: "An image of the operator is not named by its digest",
    explanation: "\
A tag can be moved: the operator that a user installs is then not the one that was tested, and mirrors that rewrite
registries by digest do not apply. Release policies ask for digests everywhere: under `spec.relatedImages`, in the
deployments, and in environment variables `RELATED_IMAGE_...`. Each image is reported once.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "unpinned_references")],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("unpinned_image.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let listed =
        images::listed(&csv).map(|(number, _, image)| (image, format!("/spec/relatedImages/{number}/image")));
    let used = images::used(&csv).into_iter();
    let used = used.filter(|used| used.reason != Reason::Annotation).map(|used| (used.image, used.pointer));
    let mut seen = BTreeSet::new();
    for (image, pointer) in used.chain(listed) {
        // What is not a reference is reported elsewhere.
        let Ok(parsed) = image_reference::parse(image) else { continue };
        if parsed.digest.is_some() || !seen.insert(image) {
            continue;
        }
        let message = format!("image {} is not named by its digest", quote(image));
        findings.push(
            context
                .finding(&RULE, csv.origin(), pointer, message)
                .label("may be another image tomorrow")
                .help("write `registry/path@sha256:...`; `skopeo inspect` shows the digest"),
        );
    }
}
