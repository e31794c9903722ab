//! Names in `relatedImages` with several images.

use std::collections::HashMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG202",
    name: "related-image-twice",
    since: "0.1.0",
    summary: "A bundle has several related images of one name",
    explanation: "\
Tools look up a related image by its name, and find one of several. Two entries of the same name with
different images are most often left over from an update.

The same image under several names does no harm. Entries that are wholly equal are only noise, and not
reported.",
    sources: &[Source::Advice("tools look up a related image by its name, and find one of several")],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("related_image_twice.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let mut images = HashMap::with_capacity(item.bundle.related_images.len());
        for (index, related) in item.bundle.related_images.iter().enumerate() {
            let (name, image) = (related.name.as_str(), related.image.as_str());
            let (first_index, first) = *images.entry(name).or_insert((index, image));
            if name.is_empty() || first == image {
                continue;
            }
            let message = format!(
                "bundle {} has two related images with the name {}",
                quote(&item.bundle.name),
                quote(name)
            );
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(item.bundle.origin, format!("/relatedImages/{index}/name")))
                    .about(item.subject())
                    .label("used before")
                    .note(format!("the first is {}", quote(first)))
                    .related(
                        context.value(item.bundle.origin, format!("/relatedImages/{first_index}/name")),
                        "used first",
                    )
                    .help("remove the entry that is out of date, or rename one"),
            );
            break;
        }
    }
}
