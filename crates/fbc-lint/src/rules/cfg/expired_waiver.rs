//! Waivers whose time is over.

use crate::finding::Severity;
use crate::rule::{Basis, Check, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG002",
    name: "expired-waiver",
    since: "0.1.0",
    summary: "A waiver has expired",
    explanation: "\
The last day on which the waiver holds, `expires`, is over. What it covered is reported again.

The day is the one of the clock in UTC; `--today` or the environment variable `SOURCE_DATE_EPOCH` sets
another.",
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: &[],
};
