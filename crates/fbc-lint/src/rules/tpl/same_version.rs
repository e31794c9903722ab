//! Bundles of an expansion whose order is not certain.

use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "TPL003",
    name: "same-version",
    since: "0.1.0",
    summary: "Bundles of the expansion have the same version",
    explanation: "\
Build metadata such as `+2` does not order versions, and semver templates and OLM v0 do not look at
releases. Of bundles with the same version nobody can say which is newer, so there is no certain upgrade
between them.

Give the rebuilt bundle a version of its own, or use a substitutes template to put it in the place of the
first.

The rule looks at what `fbc template render` makes; the place is in the template. In the examples `bundles.yaml` holds
what the images do.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/template/semver/semver.go",
        "withoutBuildMetadataConflict",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[
        Case {
            title: "a version of its own",
            files: "\
-- template.yaml --
schema: olm.template.basic
entries:
- schema: olm.package
  name: foo
  defaultChannel: stable
- schema: olm.channel
  package: foo
  name: stable
  entries:
  - name: foo.v1.2.0
  - name: foo.v1.2.1
    replaces: foo.v1.2.0
- schema: olm.bundle
  image: quay.io/foo/foo:1.2.0
- schema: olm.bundle
  image: quay.io/foo/foo:1.2.1
-- bundles.yaml --
schema: olm.bundle
name: foo.v1.2.0
package: foo
image: quay.io/foo/foo:1.2.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.0}
---
schema: olm.bundle
name: foo.v1.2.1
package: foo
image: quay.io/foo/foo:1.2.1
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.1}
",
            findings: &[],
        },
        Case {
            title: "build metadata",
            files: "\
-- template.yaml --
schema: olm.template.basic
entries:
- schema: olm.package
  name: foo
  defaultChannel: stable
- schema: olm.channel
  package: foo
  name: stable
  entries:
  - name: foo.v1.2.0+1
  - name: foo.v1.2.0+2
    replaces: foo.v1.2.0+1
- schema: olm.bundle
  image: quay.io/foo/foo:1.2.0-1
- schema: olm.bundle
  image: quay.io/foo/foo:1.2.0-2
-- bundles.yaml --
schema: olm.bundle
name: foo.v1.2.0+1
package: foo
image: quay.io/foo/foo:1.2.0-1
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.0+1}
---
schema: olm.bundle
name: foo.v1.2.0+2
package: foo
image: quay.io/foo/foo:1.2.0-2
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.0+2}
",
            findings: &[
                "template.yaml:16:10 foo.v1.2.0+1, foo.v1.2.0+2 are all version 1.2.0 without releases that would tell which is newer",
            ],
        },
    ],
};
