//! Waivers without an end, where each must have one.

use fbc_lint::finding::Severity;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG006",
    name: "waiver-without-expiry",
    since: "0.1.0",
    summary: "A waiver does not say when it expires",
    explanation: "\
The configuration asks for it: `waivers-must-expire = true`. A waiver without `expires` does not count.",
    sources: &[Source::Advice("the configuration itself asks for it with `waivers-must-expire`")],
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: include_str!("waiver_without_expiry.cases"),
};
