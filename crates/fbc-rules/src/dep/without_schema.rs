//! Deprecation entries whose reference has no schema.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::references::{conversion, with_number};

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
    cases: include_str!("without_schema.cases"),
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
