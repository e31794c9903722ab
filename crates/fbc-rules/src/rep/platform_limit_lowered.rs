//! The highest OpenShift release of a bundle is lower.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP014",
    name: "platform-limit-lowered",
    since: "0.1.0",
    summary: "The highest OpenShift release of a bundle is lower",
    explanation: "\
`olm.maxOpenShiftVersion` keeps a cluster with this bundle from moving on to a later minor version. A
limit that is lower than before, or new, blocks clusters that could move on. For one published bundle the
change is breaking, from one head of a channel to the next it is risky.

Set it only when the operator really does not work on the next minor version.",
    sources: &[
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/operators/openshift/helpers.go",
            "maxOpenShiftVersion",
        ),
        Source::Statement("D-UPD-18", "5.3.5"),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("platform_limit_lowered.cases"),
};
