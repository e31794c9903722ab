//! A bundle no longer supports an install mode.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP015",
    name: "install-mode-removed",
    since: "0.1.0",
    summary: "A bundle no longer supports an install mode",
    explanation: "\
Installations in this mode fail after the update: under OLM v0 the new ClusterServiceVersion is refused
because the OperatorGroup does not fit, under OLM v1 the namespaces that it watches. Only
`olm.csv.metadata` tells.

Keep the mode, or start a new channel for the versions without it.",
    sources: &[
        Source::Code(
            "operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion.go",
            "InstallModeSet.Supports",
        ),
        Source::Statement("D-EXT-2", "5.1.1"),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "the same modes",
        old: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.0.0}
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
- type: olm.csv.metadata
  value:
    installModes:
    - {type: AllNamespaces, supported: true}
",
        new: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.0.0}
- {name: foo.v1.1.0, replaces: foo.v1.0.0}
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
- type: olm.csv.metadata
  value:
    installModes:
    - {type: AllNamespaces, supported: true}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
- type: olm.csv.metadata
  value:
    installModes:
    - {type: AllNamespaces, supported: true}
",
        findings: &[],
    },
    ChangeCase {
        title: "one mode less",
        old: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.0.0}
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
- type: olm.csv.metadata
  value:
    installModes:
    - {type: AllNamespaces, supported: true}
    - {type: OwnNamespace, supported: true}
",
        new: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.0.0}
- {name: foo.v1.1.0, replaces: foo.v1.0.0}
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
- type: olm.csv.metadata
  value:
    installModes:
    - {type: AllNamespaces, supported: true}
    - {type: OwnNamespace, supported: true}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
- type: olm.csv.metadata
  value:
    installModes:
    - {type: AllNamespaces, supported: true}
    - {type: OwnNamespace, supported: false}
",
        findings: &[
            "\"foo.v1.1.0\", the new head of channel \"stable\", no longer supports the install mode \"OwnNamespace\"",
        ],
    },
];
