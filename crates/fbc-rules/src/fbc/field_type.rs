//! Fields of a wrong type.

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::load::{FaultPlace, LoadFaultKind};

use super::{go_words, load_fault};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC009",
    name: "field-type",
    since: "0.1.0",
    summary: "A field of a blob has the wrong type",
    explanation: "\
The fields of `olm.package`, `olm.channel`, `olm.bundle` and `olm.deprecations` have fixed types. A
number, boolean or list where text is due is refused, and so is text that should be base64 and is not.

YAML 1.1 reads `4.19`, `1_000`, `on`, `yes` and the like as numbers and booleans: put texts in quotes.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "addMeta")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("field_type.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::FieldType) {
        let field = match &fault.place {
            FaultPlace::Pointer(pointer) => go_words::path(pointer),
            _ => String::new(),
        };
        let is_quotable = fault.message.ends_with("type string")
            && ["cannot unmarshal number", "cannot unmarshal bool"]
                .iter()
                .any(|kind| fault.message.contains(kind));
        let fix = match (&fault.place, fault.origin) {
            (FaultPlace::Pointer(pointer), Some(origin)) if is_quotable => {
                Some(Fix::safe("put the value in quotes").quote(origin, pointer.clone()))
            }
            _ => None,
        };
        findings.push(
            load_fault::finding(&RULE, fault, format!("`{field}` {}", go_words::explain(&fault.message)))
                .label("wrong type")
                .fix_if(fix)
                .help(go_words::help(&fault.message)),
        );
    }
}
