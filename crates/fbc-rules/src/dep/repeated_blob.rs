//! Packages with several deprecations blobs.

use std::collections::HashMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::writer;

use super::references::{conversion, with_number};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP003",
    name: "repeated-deprecations",
    since: "0.1.0",
    summary: "A package has more than one deprecations blob",
    explanation: "\
All deprecations of a package stand in one `olm.deprecations` blob.

Move the entries into the first blob, and remove the others.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("repeated_blob.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut first_blobs = HashMap::new();
    for (number, blob, _) in with_number(context) {
        let first = *first_blobs.entry(blob.package.as_str()).or_insert(blob);
        if std::ptr::eq(first, blob) {
            continue;
        }
        let package = quote(&blob.package);
        let mut fix = Fix::safe("move the entries into the first blob");
        for entry in blob.entries() {
            fix = fix.append(first.origin, "/entries", writer::deprecation_entry(entry));
        }
        let fix = fix.remove_document(blob.origin);
        findings.push(
            Finding::new(&RULE, format!("package {package} has more than one deprecations blob"))
                .at(context.value(blob.origin, "/package"))
                .about(Subject::package(&blob.package))
                .label("has deprecations already")
                .related(context.value(first.origin, "/package"), "the first blob")
                .fix(fix)
                .help("move the entries into the first blob")
                .opm(conversion(
                    number,
                    0,
                    3,
                    format!("expected a maximum of one deprecation per package: {package}"),
                )),
        );
    }
}
