//! Installed versions are updated less far than before.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP011",
    name: "updates-lowered",
    since: "0.1.0",
    summary: "Installed versions are updated less far than before",
    explanation: "\
The next update of these versions is lower than the one they had. Updates that were one step may now be
several, and fixes come later.

Make sure that it is meant: mostly a `skips` or `skipRange` was lost.",
    sources: &[
        Source::Advice("updates that were one step may now be several, and fixes come later"),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "sortChannel",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/catalogmetadata/filter/successors.go",
            "legacySuccessor",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "a further step",
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
        title: "a step in between",
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
- {name: foo.v1.1.0, replaces: foo.v1.0.0}
- {name: foo.v1.2.0, replaces: foo.v1.1.0, skips: [foo.v1.0.0]}
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
---
schema: olm.bundle
name: foo.v1.2.0
package: foo
image: quay.io/foo/foo:1.2.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.0}
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
- {name: foo.v1.2.0, replaces: foo.v1.1.0}
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
---
schema: olm.bundle
name: foo.v1.2.0
package: foo
image: quay.io/foo/foo:1.2.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.0}
",
        findings: &["users of \"foo.v1.0.0\" in channel \"stable\" are updated less far than before"],
    },
];
