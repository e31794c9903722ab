//! Waivers without an end, where each must have one.

use crate::finding::Severity;
use crate::rule::{Basis, Check, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG006",
    name: "waiver-without-expiry",
    since: "0.1.0",
    summary: "A waiver does not say when it expires",
    explanation: "\
The configuration asks for it: `waivers-must-expire = true`. A waiver without `expires` does not count.",
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: &[],
};
