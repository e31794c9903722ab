//! Deprecation entries whose reference has no schema.

use fbc_go::text::quote;
use fbc_model::blob::schema;

use super::references::{conversion, with_number};
use crate::context::Context;
use crate::finding::{Finding, Findings, Subject};
use crate::fix::Fix;
use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP004",
    name: "deprecation-without-schema",
    since: "0.1.0",
    summary: "A deprecation does not say what kind of thing is deprecated",
    explanation: "\
`reference.schema` of an entry says what is deprecated: `olm.package`, `olm.channel` or `olm.bundle`.
Channels and bundles also need `reference.name`.

Add the schema to the reference.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "a channel of the package",
            files: "\
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
            title: "no schema",
            files: "\
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
- reference: {name: stable}
  message: Use bar.
",
            findings: &["14:14 deprecation 0 of package \"foo\" has no schema in its reference"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (blob_number, blob, view) in with_number(context) {
        let entries = blob.entries().iter().enumerate();
        for (number, entry) in entries.filter(|(_, entry)| entry.schema.is_empty()) {
            let kinds = [
                (schema::PACKAGE, entry.name.is_empty()),
                (schema::CHANNEL, view.channels.iter().any(|channel| channel.name == entry.name)),
                (schema::BUNDLE, view.bundle_by_name.contains_key(entry.name.as_str())),
            ];
            let mut kinds = kinds.into_iter().filter(|(_, is_meant)| *is_meant).map(|(kind, _)| kind);
            let fix = kinds.next().filter(|_| kinds.next().is_none()).map(|kind| {
                let pointer = format!("/entries/{number}/reference/schema");
                Fix::safe(format!("add `schema: {kind}`")).set(blob.origin, pointer, kind)
            });
            let package = quote(&blob.package);
            let text = format!("schema must be set for deprecation entry [{number}] for package {package}");
            findings.push(
                Finding::new(
                    &RULE,
                    format!("deprecation {number} of package {package} has no schema in its reference"),
                )
                .at(context.value(blob.origin, format!("/entries/{number}/reference")))
                .about(Subject::package(&blob.package))
                .label("needs `schema`")
                .fix_if(fix)
                .help("add `schema: olm.package`, `olm.channel` or `olm.bundle`")
                .opm(conversion(blob_number, number, 4, text)),
            );
        }
    }
}
