//! `schema`, `package` and `name` that are not text.

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::load::{FaultPlace, LoadFaultKind};

use super::{go_words, load_fault};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC007",
    name: "meta-not-text",
    since: "0.1.0",
    summary: "The schema, package or name of a blob is not a string",
    explanation: "\
`schema`, `package` and `name` of every blob are texts. YAML 1.1, which opm reads, takes more for
numbers and booleans than one would think: `4.19`, `1_000`, `0x1F`, and also `y`, `n`, `yes`, `no`, `on`
and `off`. An empty value is null.

Put the text in quotes.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg.go",
        "extractUniqueMetaKeys",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("meta_not_text.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::MetaNotText) {
        let key = match &fault.place {
            FaultPlace::Pointer(pointer) => go_words::path(pointer),
            _ => String::new(),
        };
        let value = fault.message.rsplit_once(": ").map_or("", |(_, value)| value);
        let (found, help) = match value {
            "<nil>" => ("nothing".to_owned(), "write the text behind the colon"),
            "true" | "false" => (
                format!("the boolean {value}"),
                "put it in quotes: YAML 1.1 reads y, n, yes, no, on, off, true and false as booleans",
            ),
            _ if value.starts_with("map[") => ("an object".to_owned(), "write a single text"),
            _ if value.starts_with('[') => ("a list".to_owned(), "write a single text"),
            _ => (value.to_owned(), "put it in quotes: without them YAML reads it as a number"),
        };
        let is_scalar = !(value == "<nil>" || value.starts_with("map[") || value.starts_with('['));
        let fix = match (&fault.place, fault.origin) {
            (FaultPlace::Pointer(pointer), Some(origin)) if is_scalar => {
                Some(Fix::safe("put the value in quotes").quote(origin, pointer.clone()))
            }
            _ => None,
        };
        findings.push(
            load_fault::finding(&RULE, fault, format!("`{key}` must be text, found {found}"))
                .label("no text")
                .fix_if(fix)
                .help(load_fault::stray_file_help(&fault.path, help)),
        );
    }
}
