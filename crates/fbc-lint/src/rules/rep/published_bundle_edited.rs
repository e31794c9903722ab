//! A bundle directory that was published is edited.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`crate::comparison::repository`].
pub static RULE: Rule = Rule {
    code: "REP101",
    name: "published-bundle-edited",
    since: "0.1.0",
    summary: "A bundle directory that was published is edited",
    explanation: "\
Files of a bundle that was there before changed (`operators/<operator>/<version>/...`). Published bundles
count as immutable: clusters that have the version installed keep the old content.

Add a new version with an update from the old one. Pipelines of community and certified operators refuse
the pull request.",
    sources: &[Source::Code(
        "redhat-openshift-ecosystem/operator-pipelines:operatorcert/parsed_file.py",
        "check_modified_bundles",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "a new version",
        old: "\
-- operators/foo/1.0.0/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.0.0}
spec: {version: 1.0.0}
",
        new: "\
-- operators/foo/1.0.0/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.0.0}
spec: {version: 1.0.0}
-- operators/foo/1.0.1/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.0.1}
spec: {version: 1.0.1, replaces: foo.v1.0.0}
",
        findings: &[],
    },
    ChangeCase {
        title: "another text in the old one",
        old: "\
-- operators/foo/1.0.0/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.0.0}
spec: {version: 1.0.0}
",
        new: "\
-- operators/foo/1.0.0/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.0.0}
spec: {version: 1.0.0, displayName: Foo}
",
        findings: &["the published bundle \"foo/1.0.0\" is edited"],
    },
];
