//! A published bundle has another version.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP007",
    name: "bundle-version-changed",
    since: "0.1.0",
    summary: "A published bundle has another version",
    explanation: "\
Ranges, the order of updates and pinned versions count on the version of a bundle, and whoever has it
installed keeps the old one.

Ship a new bundle, with a name of its own.",
    sources: &[Source::Statement("D-FBC-37", "4.1.6.1")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("bundle_version_changed.cases"),
};
