//! The default channel of a package is another.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP010",
    name: "default-channel-changed",
    since: "0.1.0",
    summary: "The default channel of a package changed",
    explanation: "\
A Subscription without a channel follows the default channel of the day, so its operator moves to the new
one. OLM v1 knows no default channel.

The change is breaking if versions of the old default channel have no way to the head of the new one: let
entries of the new channel replace, skip or cover them.",
    sources: &[Source::Code(
        "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
        "getSubscriptionVariables",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("default_channel_changed.cases"),
};
