//! A bundle directory is deleted although a catalog uses the bundle.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`super::repository`].
pub static RULE: Rule = Rule {
    code: "REP102",
    name: "used-bundle-deleted",
    since: "0.1.0",
    summary: "A bundle directory is deleted although a catalog uses the bundle",
    explanation: "\
The directory of a bundle (`operators/<operator>/<version>/`) is gone, and a catalog of the repository still
has a bundle of this package and version.

Take the bundle out of all catalogs first, in a change of its own, after thinking about who has it
installed; or keep the directory.",
    sources: &[Source::Code(
        "redhat-openshift-ecosystem/operator-pipelines:operatorcert/parsed_file.py",
        "check_deleted_bundles",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("used_bundle_deleted.cases"),
};
