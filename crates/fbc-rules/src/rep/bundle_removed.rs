//! A bundle is removed from its package.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP005",
    name: "bundle-removed",
    since: "0.1.0",
    summary: "A bundle is removed from its package",
    explanation: "\
A published bundle is assumed to be installed somewhere. It cannot be installed again, a ClusterExtension
that is pinned to its version no longer resolves, and mirrors made from the catalog lose its images.

Keep the bundle. If nobody should install it, let a newer entry skip it, or deprecate it.",
    sources: &[Source::Statement("D-FBC-37", "4.1.6.1"), Source::Statement("D-FBC-51", "4.5.2")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("bundle_removed.cases"),
};
