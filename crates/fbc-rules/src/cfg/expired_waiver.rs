//! Waivers whose time is over.

use fbc_lint::finding::Severity;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG002",
    name: "expired-waiver",
    since: "0.1.0",
    summary: "A waiver has expired",
    explanation: "\
The last day on which the waiver holds, `expires`, is over. What it covered is reported again.

The day is the one of the clock in UTC; `--today` or the environment variable `SOURCE_DATE_EPOCH` sets
another. In the examples today is 2026-06-30.",
    sources: &[Source::Advice("a waiver holds until the day that it names itself")],
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: include_str!("expired_waiver.cases"),
};
