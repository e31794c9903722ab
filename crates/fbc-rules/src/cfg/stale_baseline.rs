//! Baselines that are behind.

use fbc_lint::finding::Severity;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG005",
    name: "stale-baseline",
    since: "0.1.0",
    summary: "The baseline holds findings that no longer occur",
    explanation: "\
What is in the baseline does not fail a run. Findings that are fixed should leave it, or they could come
back unseen.

Recreate the baseline with `--write-baseline`. Entries of catalogs that the run does not look at stay.",
    sources: &[Source::Advice("a finding that is fixed and still in the baseline could come back unseen")],
    basis: Basis::Configuration(Severity::Warning),
    check: Check::Elsewhere,
    cases: include_str!("stale_baseline.cases"),
};
