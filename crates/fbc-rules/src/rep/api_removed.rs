//! A bundle no longer provides an API.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP012",
    name: "api-removed",
    since: "0.1.0",
    summary: "A bundle no longer provides an API",
    explanation: "\
Custom resources of the API lose their operator with the update, and bundles that require it lose their
provider. For one published bundle the change is breaking, because its content is immutable; from one
head of a channel to the next it is risky.

Keep serving the API, or make sure that nothing of it is left before the update.",
    sources: &[Source::Statement("D-FBC-34", "4.1.4.2"), Source::Statement("D-FBC-37", "4.1.6.1")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("api_removed.cases"),
};
