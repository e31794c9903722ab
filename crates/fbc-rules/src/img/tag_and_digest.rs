//! Images with both a tag and a digest.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::reference;
use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG205",
    name: "tag-and-digest",
    since: "0.1.0",
    summary: "An image has both a tag and a digest",
    explanation: "\
opm checks such a reference and then cannot pull it: `Docker references with both a tag and digest are
currently not supported`. Other tools ignore the tag.

Keep the digest. A bundle is reported once, however many of its images are written so.",
    sources: &[
        Source::Advice("opm accepts a reference with tag and digest, and cannot pull it"),
        Source::Code(
            "operator-framework/operator-registry:pkg/image/containersimageregistry/registry.go",
            "Registry.Pull",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("tag_and_digest.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let bundle = item.bundle;
        let related = bundle.related_images.iter().enumerate();
        let related = related.map(|(index, related)| (related.image.as_str(), Some(index)));
        let images = std::iter::once((bundle.image.as_str(), None)).chain(related);
        let mut both = images.filter(|(image, _)| reference::has_tag_and_digest(image));
        let Some((image, place)) = both.next() else { continue };
        let more = both.count();
        let pointer = place.map_or("/image".to_owned(), |index| format!("/relatedImages/{index}/image"));
        let mut finding = Finding::new(
            &RULE,
            format!("image {} of bundle {} has both a tag and a digest", quote(image), quote(&bundle.name)),
        )
        .at(context.value(bundle.origin, pointer))
        .about(item.subject())
        .label("a tag and a digest")
        .help("remove the tag; the digest says it all");
        if more > 0 {
            finding = finding.note(format!("so have {more} more images of the bundle"));
        }
        findings.push(finding);
    }
}
