//! Waivers that say not why.

use crate::finding::Severity;
use crate::rule::{Basis, Check, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG003",
    name: "waiver-without-reason",
    since: "0.1.0",
    summary: "A waiver gives no reason",
    explanation: "\
A waiver is a decision. Whoever reads it next year needs to know who took it and why: write it down as
`reason`. A waiver without one does not count.",
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: &[],
};
