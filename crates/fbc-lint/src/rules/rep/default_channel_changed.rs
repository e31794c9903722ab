//! The default channel of a package is another.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP010",
    name: "default-channel-changed",
    since: "0.1.0",
    summary: "The default channel of a package changed",
    explanation: "\
A Subscription without a channel follows the default channel of the day, so its operator moves to the new
one. OLM v1 knows no default channel.

The change is breaking if versions of the old default channel have no way to the head of the new one: let
entries of the new channel replace, skip or cover them.",
    sources: &[Source::Code(
        "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
        "getSubscriptionVariables",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "the same",
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
        title: "another",
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
schema: olm.channel
package: foo
name: fast
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
        new: "\
schema: olm.package
name: foo
defaultChannel: fast
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.0.0}
---
schema: olm.channel
package: foo
name: fast
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
        findings: &["the default channel changes from \"stable\" to \"fast\""],
    },
];
