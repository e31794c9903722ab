//! Deprecations blobs without entries.

use fbc_yaml::go_text::quote;

use crate::context::Context;
use crate::finding::{Finding, Subject};
use crate::rule::{Basis, Case, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP011",
    name: "no-deprecations",
    summary: "A deprecations blob has no entries",
    explanation: "\
A deprecations blob without entries deprecates nothing. opm accepts it, but the documented schema asks for
at least one entry.

Remove the blob, or add the entries that were meant to be in it.",
    basis: Basis::Documents,
    check,
    cases: &[
        Case {
            title: "a channel of the package",
            catalog: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
---
schema: olm.deprecations
package: foo
entries:
- reference: {schema: olm.channel, name: stable}
  message: Use bar.
",
            findings: &[],
        },
        Case {
            title: "an empty list",
            catalog: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
---
schema: olm.deprecations
package: foo
entries: []
",
            findings: &["13:10 the deprecations of package \"foo\" have no entries"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for blob in context.catalog.deprecations.iter().filter(|blob| blob.entries().is_empty()) {
        let pointer = if blob.entries.is_some() { "/entries" } else { "/schema" };
        findings.push(
            Finding::new(
                &RULE,
                format!("the deprecations of package {} have no entries", quote(&blob.package)),
            )
            .at(context.value(blob.origin, pointer))
            .about(Subject::package(&blob.package))
            .help("remove the blob, or add entries"),
        );
    }
}
