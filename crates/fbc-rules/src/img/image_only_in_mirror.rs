//! Images that only a mirror has.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::reference::{Mention, first_mentions};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG309",
    name: "image-only-in-mirror",
    since: "0.1.0",
    summary: "An image is in a mirror, and not where the catalog names it",
    explanation: "\
Mirrors of the configuration and of mirror sets give images before they are released. Clusters without the mirror cannot
pull them until then. `fbc validate --check-images` asks the place that the catalog names as well, if it has mirrors. In
the examples `facts.json` stands for the answers.",
    sources: &[Source::Advice("a cluster without the mirror pulls from the place that the catalog names")],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("image_only_in_mirror.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let only_in_mirror = &context.images.only_in_mirror;
    if only_in_mirror.is_empty() {
        return;
    }
    for Mention { item, image, pointer } in first_mentions(context, |image| only_in_mirror.contains(image)) {
        findings.push(
            Finding::new(&RULE, format!("image {} is only in a mirror", quote(image)))
                .at(context.value(item.bundle.origin, pointer))
                .about(item.subject())
                .help(
                    "release the image before the catalog, or name the mirror to those who get the catalog",
                ),
        );
    }
}
