//! A bundle needs something that it did not need.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP013",
    name: "dependency-added",
    since: "0.1.0",
    summary: "A bundle needs something that it did not need",
    explanation: "\
OLM v0 does the update only when the required package or API can be installed too. OLM v1 installs no
bundle with dependencies at all. For one published bundle the change is breaking, from one head of a
channel to the next it is risky.

Make sure that the dependency is in the catalogs of all clusters that get the update.",
    sources: &[Source::Statement("D-FBC-35", "4.1.4.3"), Source::Statement("D-EXT-3", "5.1.1")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("dependency_added.cases"),
};
