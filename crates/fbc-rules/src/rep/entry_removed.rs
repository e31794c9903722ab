//! A bundle is no longer in a channel.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP009",
    name: "entry-removed",
    since: "0.1.0",
    summary: "A bundle is no longer in a channel",
    explanation: "\
The bundle cannot be installed from the channel any more (`startingCSV` of a Subscription, channel and
version of a ClusterExtension), and the edges that its entry had are gone. If installed versions lose
their way by it, that is reported as well.

Keep the entry. To keep people from installing it, let a newer entry skip it. In channels whose names
have `dev-preview`, `pre-ga` or `candidate` in them this is harmless.",
    sources: &[
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/fbc-target-index-pruning-check/0.1/fbc-target-index-pruning-check.yaml",
            "run-pruning-check",
        ),
        Source::Statement("D-FBC-23", "4.1.3.2"),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("entry_removed.cases"),
};
