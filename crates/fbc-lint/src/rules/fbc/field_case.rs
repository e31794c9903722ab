//! Fields in another case than that of the format.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::fix::Fix;
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "the usual spelling",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
",
            findings: &[],
        },
        Case {
            title: "another case",
            files: "\
schema: olm.package
name: foo
defaultchannel: stable
",
            findings: &["3:1 `defaultchannel` is spelt `defaultChannel` in the format"],
        },
    ],
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
