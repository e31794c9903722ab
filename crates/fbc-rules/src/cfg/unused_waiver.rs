//! Waivers that cover nothing.

use fbc_lint::finding::Severity;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG001",
    name: "unused-waiver",
    since: "0.1.0",
    summary: "A waiver covers no finding",
    explanation: "\
The problem that the waiver was for is gone, or the waiver names it wrongly and so does not cover it. A
waiver that stays would hide the problem when it comes back.

A waiver that names a package or a path is left alone in a run that looks at neither. A run over the
directory of the configuration file looks at everything.",
    sources: &[Source::Advice("a waiver that covers nothing would hide the problem when it comes back")],
    basis: Basis::Configuration(Severity::Warning),
    check: Check::Elsewhere,
    cases: include_str!("unused_waiver.cases"),
};
