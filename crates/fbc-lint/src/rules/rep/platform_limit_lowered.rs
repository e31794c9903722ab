//! The highest OpenShift release of a bundle is lower.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP014",
    name: "platform-limit-lowered",
    since: "0.1.0",
    summary: "The highest OpenShift release of a bundle is lower",
    explanation: "\
`olm.maxOpenShiftVersion` keeps a cluster with this bundle from moving on to a later minor version. A
limit that is lower than before, or new, blocks clusters that could move on. For one published bundle the
change is breaking, from one head of a channel to the next it is risky.

Set it only when the operator really does not work on the next minor version.",
    sources: &[
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/operators/openshift/helpers.go",
            "maxOpenShiftVersion",
        ),
        Source::Statement("D-UPD-18", "5.3.5"),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "a higher limit",
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
- type: olm.maxOpenShiftVersion
  value: \"4.18\"
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
- type: olm.maxOpenShiftVersion
  value: \"4.18\"
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
- type: olm.maxOpenShiftVersion
  value: \"4.19\"
",
        findings: &[],
    },
    ChangeCase {
        title: "a lower limit",
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
- type: olm.maxOpenShiftVersion
  value: \"4.19\"
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
- type: olm.maxOpenShiftVersion
  value: \"4.19\"
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
- type: olm.maxOpenShiftVersion
  value: \"4.18\"
",
        findings: &[
            "\"foo.v1.1.0\", the new head of channel \"stable\", blocks updates of OpenShift beyond 4.18, was 4.19",
        ],
    },
];
