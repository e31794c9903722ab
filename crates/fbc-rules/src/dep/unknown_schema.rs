//! Deprecations of things of unknown kind.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::references::references;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP009",
    name: "deprecation-of-unknown-schema",
    since: "0.1.0",
    summary: "A deprecation is about something that cannot be deprecated",
    explanation: "\
Packages, channels and bundles can be deprecated, with `reference.schema` being `olm.package`,
`olm.channel` or `olm.bundle`. opm refuses any other schema.

Correct the schema.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-26", "4.1.3.4"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("unknown_schema.cases"),
};

const KNOWN: [&str; 3] = [schema::PACKAGE, schema::CHANNEL, schema::BUNDLE];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for reference in references(context) {
        let kind = reference.entry.schema.as_str();
        if reference.is_repeated || KNOWN.contains(&kind) {
            continue;
        }
        let message =
            format!("{} cannot be deprecated, only packages, channels and bundles can", quote(kind));
        let text = format!(
            "cannot deprecate object {} referenced by entry {} for package {}: object schema unknown",
            reference.go_text(),
            reference.number,
            quote(&reference.blob.package)
        );
        let question = names::did_you_mean(kind, KNOWN);
        let fix = names::meant(kind, KNOWN).map(|meant| {
            let pointer = format!("/entries/{}/reference/schema", reference.number);
            Fix::safe(format!("write `{meant}`")).set(reference.blob.origin, pointer, meant)
        });
        findings.push(
            reference
                .refused(context, &RULE, 9, message, text)
                .at(reference.place(context, "/reference/schema"))
                .label("no such kind")
                .fix_if(fix)
                .help(format!("{question}use `olm.package`, `olm.channel` or `olm.bundle`")),
        );
    }
}
