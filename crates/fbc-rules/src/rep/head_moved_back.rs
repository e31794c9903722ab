//! The head of a channel is an older version than before.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP004",
    name: "head-moved-back",
    since: "0.1.0",
    summary: "The head of a channel is an older version than before",
    explanation: "\
Neither OLM v0 nor OLM v1 goes back to a lower version by itself. Whoever has the old head stays on it
until a newer version covers it, and new users get the older version.

To withdraw a broken release, ship a newer version that skips it.",
    sources: &[Source::Statement("D-UPD-14", "5.3.4")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("head_moved_back.cases"),
};
