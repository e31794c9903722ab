//! A package, channel or bundle is deprecated.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP016",
    name: "deprecation-added",
    since: "0.1.0",
    summary: "A package, channel or bundle is deprecated",
    explanation: "\
Users of it see a warning in the console and in the status of their objects, and OLM v1 prefers what is
not deprecated.

Make sure that the message says where to go, and that there is a way there.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/catalogmetadata/compare/compare.go",
            "ByDeprecationFunc",
        ),
        Source::Statement("D-FBC-26", "4.1.3.4"),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("deprecation_added.cases"),
};
