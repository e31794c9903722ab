//! Entries that users have and the catalog takes away.

use std::collections::BTreeSet;

use fbc_go::text::quote;

use super::shared;
use crate::context::Context;
use crate::finding::{Finding, Findings, Subject};
use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IDX002",
    name: "released-entry-missing",
    since: "0.1.0",
    summary: "An entry of a channel of the released index is missing",
    explanation: "\
Who installed a version that is no longer in the channel may find no way on, and nobody can install it again. Name the
index by `--index`. Channels whose names have `dev-preview`, `pre-ga` or `candidate` in them are left alone, as in Konflux's
fbc-target-index-pruning-check. That one takes `foo.v1.1.0-1` for `foo.v1.1.0`; here names must be equal. In the examples
the directory `index` is the released index.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/fbc-target-index-pruning-check/0.1/fbc-target-index-pruning-check.yaml",
        "run-pruning-check",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "an entry more",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.1.0, replaces: foo.v1.0.0}
- {name: foo.v1.0.0}
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: quay.io/foo/foo:v1.0.0
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: quay.io/foo/foo:v1.1.0
properties:
- {type: olm.package, value: {packageName: foo, version: 1.1.0}}
-- index/catalog.yaml --
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
package: foo
name: foo.v1.0.0
image: quay.io/foo/foo:v1.0.0
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
",
            findings: &[],
        },
        Case {
            title: "an entry less",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.1.0-1}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0-1
image: quay.io/foo/foo:v1.1.0-1
properties:
- {type: olm.package, value: {packageName: foo, version: 1.1.0-1}}
-- index/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v1.1.0-1, replaces: foo.v1.1.0}
- {name: foo.v1.1.0}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: quay.io/foo/foo:v1.1.0
properties:
- {type: olm.package, value: {packageName: foo, version: 1.1.0}}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0-1
image: quay.io/foo/foo:v1.1.0-1
properties:
- {type: olm.package, value: {packageName: foo, version: 1.1.0-1}}
",
            findings: &["8:1 \"foo.v1.1.0\" is in channel \"stable\" of the released index and missing here"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for released in shared::channels(context) {
        let Some(first) = released.kept.first() else { continue };
        let kept: BTreeSet<&str> = released
            .kept
            .iter()
            .flat_map(|channel| channel.entries())
            .map(|entry| entry.name.as_str())
            .collect();
        let (channel, package) = (&released.channel.name, &released.package.package.name);
        for entry in released.channel.entries().iter().filter(|entry| !kept.contains(entry.name.as_str())) {
            let message = format!(
                "{} is in channel {} of the released index and missing here",
                quote(&entry.name),
                quote(channel)
            );
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.key(first.origin, "/entries"))
                    .about(Subject::entry(package, channel, &entry.name))
                    .help("keep the entry and its bundle"),
            );
        }
    }
}
