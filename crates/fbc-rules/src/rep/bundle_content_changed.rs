//! A published bundle has other contents.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP008",
    name: "bundle-content-changed",
    since: "0.1.0",
    summary: "A published bundle has other contents",
    explanation: "\
Related images, manifests or properties of a bundle changed under its old name. Clusters that have it
installed keep what it was; mirrors, consoles and resolvers see what it is now. If the bundle image is
the same, the catalog and the image no longer agree.

Render the bundle again from its image, or ship a new bundle. `olm.csv.metadata` in the place of
`olm.bundle.object` is not meant: the two are forms of one thing.",
    sources: &[Source::Statement("D-FBC-37", "4.1.6.1"), Source::Statement("D-FBC-38", "4.1.6.1")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("bundle_content_changed.cases"),
};
