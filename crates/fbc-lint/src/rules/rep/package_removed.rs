//! A package is removed.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP001",
    name: "package-removed",
    since: "0.1.0",
    summary: "A package is removed",
    explanation: "\
Whoever has the operator installed gets no updates any more, nobody can install it, and mirrors drop its
images.

Deprecate the package first, with a message that says where to go, and keep it for the lifetime of the
OpenShift release that the catalog is for. If it only moved to another file, make sure that the file is
not left out by an `.indexignore`.",
    sources: &[Source::Statement("D-FBC-51", "4.5.2")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "deprecated, but there",
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
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.deprecations
package: foo
entries:
- reference: {schema: olm.package}
  message: Use bar.
",
        findings: &[],
    },
    ChangeCase {
        title: "gone",
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
name: bar
defaultChannel: stable
",
        findings: &["package \"foo\" is removed (1 channel, 1 bundle)"],
    },
];
