//! A channel is removed.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP002",
    name: "channel-removed",
    since: "0.1.0",
    summary: "A channel is removed",
    explanation: "\
A Subscription that names the channel finds nothing in it, and a ClusterExtension that lists no other
channel no longer resolves. Its users have to change their objects by hand, on every cluster.

Keep the channel and deprecate it (`olm.deprecations`, schema `olm.channel`), with a message that names
the channel to move to. Channels whose names have `dev-preview`, `pre-ga` or `candidate` in them promise
nothing: their removal is risky, not breaking.",
    sources: &[
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/fbc-target-index-pruning-check/0.1/fbc-target-index-pruning-check.yaml",
            "run-pruning-check",
        ),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "getSubscriptionVariables",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/resolve/catalog.go",
            "Resolve",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "a channel more",
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
schema: olm.channel
package: foo
name: fast
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
        findings: &[],
    },
    ChangeCase {
        title: "a channel less",
        old: "\
schema: olm.package
name: foo
defaultChannel: stable-v1
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.0.0}
---
schema: olm.channel
package: foo
name: stable-v1
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
defaultChannel: stable-v1
---
schema: olm.channel
package: foo
name: stable-v1
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
        findings: &["channel \"stable\" is removed"],
    },
];
