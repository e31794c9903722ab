//! Installed versions are updated less far than before.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP011",
    name: "updates-lowered",
    since: "0.1.0",
    summary: "Installed versions are updated less far than before",
    explanation: "\
The next update of these versions is lower than the one they had. Updates that were one step may now be
several, and fixes come later.

Make sure that it is meant: mostly a `skips` or `skipRange` was lost.",
    sources: &[
        Source::Advice("updates that were one step may now be several, and fixes come later"),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "sortChannel",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/catalogmetadata/filter/successors.go",
            "legacySuccessor",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("updates_lowered.cases"),
};
