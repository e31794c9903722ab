//! A change touches bundles and catalogs at once.

use crate::rule::{Basis, Check, Rule};

/// See [`Rule::explanation`]. Source of the behaviour: `redhat-openshift-ecosystem/operator-pipelines`
/// (`operatorcert/parsed_file.py`). Found by [`crate::comparison::repository`].
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
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};
