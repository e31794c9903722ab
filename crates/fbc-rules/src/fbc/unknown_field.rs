//! Fields that the format does not have.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::odd_keys;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC203",
    name: "unknown-field",
    since: "0.1.0",
    summary: "A blob has a field that its schema does not have",
    explanation: "\
opm drops fields that it does not know without a word: they have no effect, and `opm render` writes the
blob without them. Often the field is misspelt, or belongs to another object.

Correct the name or remove the field. Data of your own belongs into a property.",
    sources: &[
        Source::Advice("Go's JSON decoder drops keys that a type does not have"),
        Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "addMeta"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("unknown_field.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for blob in odd_keys::blobs(context) {
        for odd in blob.keys.iter().filter(|odd| odd.spelling.is_none()) {
            let question = names::meant(&odd.key, odd.fields.iter().copied());
            let help = match question {
                Some(field) => format!("did you mean `{field}`?"),
                None => format!("remove it; the fields are {}", odd.fields.join(", ")),
            };
            let fix = match question {
                Some(field) => Fix::risky(format!("write `{field}`")),
                None => Fix::risky(format!("remove `{}`", odd.key)),
            };
            let fix = odd.fix(fix, blob.origin, question);
            let mut finding = Finding::new(
                &RULE,
                format!("`{}` is not a field of {}, and is dropped", odd.key, odd.object),
            )
            .at(context.key(blob.origin, &odd.pointer))
            .about(blob.subject.clone())
            .label("unknown field")
            .fix(fix)
            .help(help);
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
