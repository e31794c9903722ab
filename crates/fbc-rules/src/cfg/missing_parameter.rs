//! Rules that lack what they need to know.

use fbc_lint::finding::Severity;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG007",
    name: "missing-parameter",
    since: "0.1.0",
    summary: "A rule that is wanted cannot look, because it does not know what for",
    explanation: "\
Some rules depend on the OpenShift releases that a catalog is for, others on the registries that images
may come from. Where neither the profile nor the configuration says so, they find nothing.

Name the versions with `targets = [\"4.17\"]` or `--ocp 4.17`; without them a catalog in a directory
such as `catalogs/v4.17` is taken to be for that version. Name the registries with `allowed-registries`. Or
turn the rules off.",
    sources: &[Source::Advice(
        "a rule that lacks what it needs to know finds nothing, which looks as if all were well",
    )],
    basis: Basis::Configuration(Severity::Warning),
    check: Check::Elsewhere,
    cases: include_str!("missing_parameter.cases"),
};
