//! Keys that differ in upper and lower case only.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::load::{FaultPlace, LoadFaultKind};

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
    cases: include_str!("ambiguous_keys.cases"),
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
                .at(fbc_lint::finding::Place {
                    path: fault.path.clone(),
                    origin: fault.origin,
                    spot: fbc_lint::finding::Spot::Key(pointer),
                })
                .label("given twice")
                .fix_if(fix)
                .help("remove one of the two spellings"),
        );
    }
}
