//! A bundle directory that was published is edited.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`super::repository`].
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
    cases: include_str!("published_bundle_edited.cases"),
};
