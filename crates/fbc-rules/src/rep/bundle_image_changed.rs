//! A published bundle has another image.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP006",
    name: "bundle-image-changed",
    since: "0.1.0",
    summary: "A published bundle has another image",
    explanation: "\
Bundle images and their metadata count as immutable. Whoever has the bundle installed keeps the old
content: OLM does not install a bundle of the same name and version again. So one version means two
things from now on.

Ship a new bundle with an update from the broken one. An image with the same digest in another place has
the same content; that is risky only.",
    sources: &[Source::Statement("D-FBC-37", "4.1.6.1"), Source::Statement("D-FBC-38", "4.1.6.1")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("bundle_image_changed.cases"),
};
