//! Blobs of one's own that cannot be served.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC208",
    name: "custom-blob-name",
    since: "0.1.0",
    summary: "A blob of one's own has a schema or package that cannot be served",
    explanation: "\
opm validates blobs of other schemas whatever their schema and package are, but serves a catalog only if
both consist of letters, digits, `.`, `_` and `-` and begin with a letter or digit.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:pkg/cache/meta_key.go",
        "validateMetaKeyComponent",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("custom_blob_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for other in &context.catalog.others {
        let (schema, package) = (other.meta.schema.as_str(), other.meta.package.as_str());
        let (message, pointer) = if !is_servable(schema) {
            (format!("schema {} cannot be served", quote(schema)), "/schema")
        } else if !package.is_empty() && !is_servable(package) {
            let message = format!(
                "package {} of a blob with schema {} cannot be served",
                quote(package),
                quote(schema)
            );
            (message, "/package")
        } else {
            continue;
        };
        if seen.insert((schema, package)) {
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(other.origin, pointer))
                    .about(Subject::package(package))
                    .label("cannot be served")
                    .help("use letters, digits, `.`, `_` and `-`, beginning with a letter or digit"),
            );
        }
    }
}

fn is_servable(name: &str) -> bool {
    name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}
