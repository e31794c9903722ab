//! Images without a digest or a tag that stays.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::image_reference;

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG203",
    name: "floating-image",
    since: "0.1.0",
    summary: "The image of a bundle has no tag, or the tag `latest`",
    explanation: "\
A reference without a tag or digest, or with the tag `latest`, leads to another image tomorrow. A bundle
is taken to be immutable: a cluster that installed it does not look again, and a mirror keeps what it saw
first.

Use the digest of the image. A tag that is never moved is the second best.",
    sources: &[
        Source::Advice("a tag can be moved, and a bundle counts as immutable"),
        Source::Statement("D-FBC-37", "4.1.6.1"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("floating_image.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let image = item.bundle.image.as_str();
        let Ok(parsed) = image_reference::parse(image) else { continue };
        if parsed.digest.is_some() || parsed.tag.as_deref().is_some_and(|tag| tag != "latest") {
            continue;
        }
        let message = format!("bundle {} has the floating image {}", quote(&item.bundle.name), quote(image));
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, "/image"))
                .about(item.subject())
                .label("may be another image tomorrow")
                .help("name the image by its digest: `registry/path@sha256:...`"),
        );
    }
}
