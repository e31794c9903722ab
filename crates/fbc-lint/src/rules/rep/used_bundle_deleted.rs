//! A bundle folder is deleted although a catalog uses the bundle.

use crate::rule::{Basis, Check, Rule};

/// See [`Rule::explanation`]. Source of the behaviour: `redhat-openshift-ecosystem/operator-pipelines`
/// (`operatorcert/parsed_file.py`). Found by [`crate::comparison::repository`].
pub static RULE: Rule = Rule {
    code: "REP102",
    name: "used-bundle-deleted",
    summary: "A bundle folder is deleted although a catalog uses the bundle",
    explanation: "\
The folder of a bundle (`operators/<operator>/<version>/`) is gone, and a catalog of the repository still
has a bundle of this package and version.

Take the bundle out of all catalogs first, in a change of its own, after thinking about who has it
installed; or keep the folder.",
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};
