//! A bundle directory is deleted although a catalog uses the bundle.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`crate::comparison::repository`].
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
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "no catalog has it",
        old: "\
-- operators/foo/1.0.0/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.0.0}
spec: {version: 1.0.0}
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.1.0
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
",
        new: "\
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.1.0
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
",
        findings: &[],
    },
    ChangeCase {
        title: "a catalog has it",
        old: "\
-- operators/foo/1.0.0/manifests/foo.yaml --
kind: ClusterServiceVersion
metadata: {name: foo.v1.0.0}
spec: {version: 1.0.0}
-- catalogs/v4.19/foo/catalog.yaml --
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0
  replaces: foo.v1.0.0
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
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
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
",
        findings: &["bundle \"foo/1.0.0\" is deleted, but used by \"catalogs/v4.19\""],
    },
];
