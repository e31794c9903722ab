//! A bundle no longer provides an API.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP012",
    name: "api-removed",
    since: "0.1.0",
    summary: "A bundle no longer provides an API",
    explanation: "\
Custom resources of the API lose their operator with the update, and bundles that require it lose their
provider. For one published bundle the change is breaking, because its content is immutable; from one
head of a channel to the next it is risky.

Keep serving the API, or make sure that nothing of it is left before the update.",
    sources: &[Source::Statement("D-FBC-34", "4.1.4.2"), Source::Statement("D-FBC-37", "4.1.6.1")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "the same APIs",
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
- type: olm.gvk
  value: {group: foo.io, version: v1, kind: Foo}
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
- type: olm.gvk
  value: {group: foo.io, version: v1, kind: Foo}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
- type: olm.gvk
  value: {group: foo.io, version: v1, kind: Foo}
",
        findings: &[],
    },
    ChangeCase {
        title: "one API less",
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
- type: olm.gvk
  value: {group: foo.io, version: v1, kind: Foo}
- type: olm.gvk
  value: {group: foo.io, version: v1, kind: Bar}
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
- type: olm.gvk
  value: {group: foo.io, version: v1, kind: Foo}
- type: olm.gvk
  value: {group: foo.io, version: v1, kind: Bar}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
- type: olm.gvk
  value: {group: foo.io, version: v1, kind: Foo}
",
        findings: &[
            "\"foo.v1.1.0\", the new head of channel \"stable\", no longer provides \"foo.io/v1 Bar\"",
        ],
    },
];
