//! Installed versions lose their way to the head of their channel.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP003",
    name: "users-stranded",
    since: "0.1.0",
    summary: "Installed versions lose their way to the head of their channel",
    explanation: "\
Before the change, updates led from these versions to the head of the channel, one after another; after
it they do not, although the operator may be installed in just these versions. It happens when an entry
goes and nothing else covers it, when a new head replaces something else than the old one, or when
`skips` and `skipRange` shrink.

OLM v0 and OLM v1 follow different edges, so the report says under which the versions are stranded. OLM
v0 updates to entries on the replaces chain only; OLM v1 to any entry of a higher version that replaces,
skips or covers the installed one.

Let a newer entry replace or skip the versions, or cover them by its `skipRange`.",
    sources: &[
        Source::Statement("D-FBC-51", "4.5.2"),
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
    cases: include_str!("users_stranded.cases"),
};
