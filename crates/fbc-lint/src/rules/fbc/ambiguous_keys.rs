//! Keys that differ in upper and lower case only.

use fbc_go::text::quote;
use fbc_model::load::{FaultPlace, LoadFaultKind};

use crate::context::Context;
use crate::finding::Findings;
use crate::fix::Fix;
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::{go_words, load_fault};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC006",
    name: "ambiguous-keys",
    since: "0.1.0",
    summary: "Keys of a blob differ in upper and lower case only",
    explanation: "\
Go's JSON decoder takes keys whatever their case, so `name` and `Name` in one blob would be the same
field. opm refuses a blob with such keys at its top level, known or not.

Keep the one that is spelt as the format spells it.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg.go",
        "extractUniqueMetaKeys",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case { title: "different keys", files: "schema: olm.package\nname: foo\n", findings: &[] },
        Case {
            title: "one key in two spellings",
            files: "schema: olm.package\nname: foo\nName: bar\n",
            findings: &[
                "2:1 \"name\" is here in another spelling too: keys must not differ in upper and lower case only",
            ],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::AmbiguousKeys) {
        let pointer = match &fault.place {
            FaultPlace::Pointer(pointer) => pointer.clone(),
            _ => String::new(),
        };
        let fix = fault.origin.map(|origin| {
            Fix::risky(format!("remove `{}`", go_words::path(&pointer))).remove(origin, pointer.clone())
        });
        let message = format!(
            "{} is here in another spelling too: keys must not differ in upper and lower case only",
            quote(&go_words::path(&pointer))
        );
        findings.push(
            load_fault::finding(&RULE, fault, message)
                .at(crate::finding::Place {
                    path: fault.path.clone(),
                    origin: fault.origin,
                    target: crate::finding::Target::Key(pointer),
                })
                .label("given twice")
                .fix_if(fix)
                .help("remove one of the two spellings"),
        );
    }
}
