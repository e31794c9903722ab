//! Waivers that say not why.

use fbc_lint::finding::Severity;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG003",
    name: "waiver-without-reason",
    since: "0.1.0",
    summary: "A waiver gives no reason",
    explanation: "\
A waiver is a decision. Whoever reads it next year needs to know who took it and why: write it down as
`reason`. A waiver without one does not count.",
    sources: &[Source::Advice("who reads a waiver later must know who decided it, and why")],
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: include_str!("waiver_without_reason.cases"),
};
