//! A change touches bundles and catalogs at once.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`crate::comparison::repository`].
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
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "the bundle alone",
        old: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
",
        new: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
-- operators/foo/1.1.0/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.1.0}
spec: {version: 1.1.0}
",
        findings: &[],
    },
    ChangeCase {
        title: "the bundle and the catalog",
        old: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
",
        new: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0
  replaces: foo.v1.0.0
-- operators/foo/1.1.0/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.1.0}
spec: {version: 1.1.0}
",
        findings: &["the change touches bundles and catalogs at once"],
    },
];
