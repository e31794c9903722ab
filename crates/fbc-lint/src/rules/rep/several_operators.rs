//! A change touches more than one operator.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`crate::comparison::repository`].
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
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "one operator",
        old: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
-- catalogs/v4.19/bar/catalog.yaml --
schema: olm.package
name: bar
defaultChannel: stable
",
        new: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: fast
-- catalogs/v4.19/bar/catalog.yaml --
schema: olm.package
name: bar
defaultChannel: stable
",
        findings: &[],
    },
    ChangeCase {
        title: "two operators",
        old: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
-- catalogs/v4.19/bar/catalog.yaml --
schema: olm.package
name: bar
defaultChannel: stable
",
        new: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: fast
-- catalogs/v4.19/bar/catalog.yaml --
schema: olm.package
name: bar
defaultChannel: fast
",
        findings: &["the change touches 2 operators: \"bar\", \"foo\""],
    },
];
