//! A change touches bundles and catalogs at once.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`super::repository`].
pub static RULE: Rule = Rule {
    code: "REP103",
    name: "bundles-and-catalogs-together",
    since: "0.1.0",
    summary: "A change touches bundles and catalogs at once",
    explanation: "\
A catalog refers to the image of a bundle, which is built only after the change of the bundle is merged.
A change of both at once cannot be checked as a whole; pipelines of community and certified operators
refuse it.

Make two pull requests: first the bundle, then the catalogs.",
    sources: &[Source::Code(
        "redhat-openshift-ecosystem/operator-pipelines:operatorcert/parsed_file.py",
        "check_affected_catalog_operators",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("bundles_and_catalogs_together.cases"),
};
