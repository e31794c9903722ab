//! Images that nobody can have.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::reference::{Mention, first_mentions};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG307",
    name: "unreachable-image",
    since: "0.1.0",
    summary: "A bundle image or related image cannot be pulled",
    explanation: "\
What the registry does not give, clusters cannot run and mirrors cannot copy. `fbc validate --check-images` asks for the
manifest of every image; with `--index` only of those that this catalog does not name. Credentials, mirrors and mirror sets
count as for every command. Without the question the rule finds nothing. In the examples `facts.json` stands for the answers.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "inaccessible_related_images")],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("unreachable_image.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let unreachable = &context.images.unreachable;
    if unreachable.is_empty() {
        return;
    }
    for Mention { item, image, pointer } in first_mentions(context, |image| unreachable.contains_key(image)) {
        let reason = unreachable.get(image).map(String::as_str).unwrap_or_default();
        findings.push(
            Finding::new(&RULE, format!("image {} cannot be pulled: {reason}", quote(image)))
                .at(context.value(item.bundle.origin, pointer))
                .about(item.subject())
                .help("push the image, fix the reference, or name the credentials (`--authfile`)"),
        );
    }
}
