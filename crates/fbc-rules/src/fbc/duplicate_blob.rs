//! Blobs of one's own that are given twice.

use std::collections::HashMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC209",
    name: "duplicate-blob",
    since: "0.1.0",
    summary: "Two blobs have the same schema, package and name",
    explanation: "\
Schema, package and name together identify a blob in a catalog. opm checks that for its own schemas only;
who looks up one of two equal ones finds either.",
    sources: &[Source::Advice("who looks up one of two blobs of one schema, package and name finds either")],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("duplicate_blob.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut first_origins = HashMap::with_capacity(context.catalog.others.len());
    for other in &context.catalog.others {
        let meta = &other.meta;
        let key = (meta.schema.as_str(), meta.package.as_str(), meta.name.as_str());
        let first = *first_origins.entry(key).or_insert(other.origin);
        if first == other.origin {
            continue;
        }
        let message = format!(
            "a second blob with schema {}, package {} and name {}",
            quote(&meta.schema),
            quote(&meta.package),
            quote(&meta.name)
        );
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(other.origin, ""))
                .about(Subject::package(&meta.package))
                .label("given before")
                .related(context.value(first, ""), "given first")
                .help("remove one of them, or give them different names"),
        );
    }
}
