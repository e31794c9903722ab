//! A change touches more than one operator.

use crate::rule::{Basis, Check, Rule};

/// See [`Rule::explanation`]. Source of the behaviour: `redhat-openshift-ecosystem/operator-pipelines`
/// (`operatorcert/parsed_file.py`). Found by [`crate::comparison::repository`].
pub static RULE: Rule = Rule {
    code: "REP104",
    name: "several-operators",
    since: "0.1.0",
    summary: "A change touches more than one operator",
    explanation: "\
Every operator has its own reviewers, and a pull request is merged as a whole. Pipelines of community and
certified operators refuse changes of several operators at once.

Make one pull request for each operator.",
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};
