//! A channel is removed.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP002",
    name: "channel-removed",
    since: "0.1.0",
    summary: "A channel is removed",
    explanation: "\
A Subscription that names the channel finds nothing in it, and a ClusterExtension that lists no other
channel no longer resolves. Its users have to change their objects by hand, on every cluster.

Keep the channel and deprecate it (`olm.deprecations`, schema `olm.channel`), with a message that names
the channel to move to. Channels whose names have `dev-preview`, `pre-ga` or `candidate` in them promise
nothing: their removal is risky, not breaking.",
    sources: &[
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/fbc-target-index-pruning-check/0.1/fbc-target-index-pruning-check.yaml",
            "run-pruning-check",
        ),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "getSubscriptionVariables",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/resolve/catalog.go",
            "Resolve",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("channel_removed.cases"),
};
