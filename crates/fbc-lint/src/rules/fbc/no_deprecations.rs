//! Deprecations without entries.

use fbc_yaml::go_text::quote;

use crate::context::Context;
use crate::finding::{Finding, Subject};
use crate::rule::{Basis, Case, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC102",
    name: "empty-deprecations",
    summary: "An `olm.deprecations` blob deprecates nothing",
    explanation: "\
The documented schema asks for at least one entry in an `olm.deprecations` blob. opm accepts one without.

Add what is deprecated to `entries`, or remove the blob.",
    basis: Basis::Documents,
    check,
    cases: &[
        Case {
            title: "an entry",
            catalog: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.deprecations
package: foo
entries:
- {reference: {schema: olm.package}, message: gone}
",
            findings: &[],
        },
        Case {
            title: "none",
            catalog: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.deprecations
package: foo
entries: []
",
            findings: &["7:10 the deprecations of package \"foo\" have no entries"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for deprecation in &context.catalog.deprecations {
        if deprecation.entries().is_empty() {
            let package = &deprecation.package;
            findings.push(
                Finding::new(
                    &RULE,
                    format!("the deprecations of package {} have no entries", quote(package)),
                )
                .at(context.value(deprecation.origin, "/entries"))
                .about(Subject::package(package))
                .label("no entries")
                .help("add what is deprecated, or remove the blob"),
            );
        }
    }
}
