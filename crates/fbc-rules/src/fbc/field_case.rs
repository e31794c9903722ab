//! Fields in another case than that of the format.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::odd_keys;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC204",
    name: "field-case",
    since: "0.1.0",
    summary: "A field is spelt in another case than in the format",
    explanation: "\
opm takes fields whatever their case: `defaultchannel` counts as `defaultChannel`. Other readers do not:
a query with jq, a schema in an editor, a program in another language finds nothing there. When opm
renders the blob, it writes the usual spelling.",
    sources: &[
        Source::Advice("Go's JSON decoder takes keys in any case, and other readers do not"),
        Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "addMeta"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("field_case.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for blob in odd_keys::blobs(context) {
        for odd in &blob.keys {
            let Some(spelling) = odd.spelling else { continue };
            let mut finding =
                Finding::new(&RULE, format!("`{}` is spelt `{spelling}` in the format", odd.key))
                    .at(context.key(blob.origin, &odd.pointer))
                    .about(blob.subject.clone())
                    .label("another case")
                    .fix(odd.fix(Fix::safe(format!("write `{spelling}`")), blob.origin, Some(spelling)))
                    .note("opm takes it all the same; other readers do not")
                    .help(format!("write `{spelling}`"));
            if odd.count > 1 {
                finding = finding.note(format!(
                    "{} objects of this blob have the field {}",
                    odd.count,
                    quote(&odd.key)
                ));
            }
            findings.push(finding);
        }
    }
}
