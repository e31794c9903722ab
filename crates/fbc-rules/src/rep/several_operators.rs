//! A change touches more than one operator.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`super::repository`].
pub static RULE: Rule = Rule {
    code: "REP104",
    name: "several-operators",
    since: "0.1.0",
    summary: "A change touches more than one operator",
    explanation: "\
Every operator has its own reviewers, and a pull request is merged as a whole. Pipelines of community and
certified operators refuse changes of several operators at once.

Make one pull request for each operator.",
    sources: &[Source::Code(
        "redhat-openshift-ecosystem/operator-pipelines:operatorcert/parsed_file.py",
        "check_affected_operators",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("several_operators.cases"),
};
