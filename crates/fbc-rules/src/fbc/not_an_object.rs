//! Documents that are not objects.

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::load::LoadFaultKind;

use super::{go_words, load_fault};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC005",
    name: "not-an-object",
    since: "0.1.0",
    summary: "A document is not an object",
    explanation: "\
Every document of a catalog is a blob: an object with a `schema`. This document is a list or a single
value.

Turn a list of blobs into documents of their own with `---` lines between them. A file that is not part
of the catalog, such as a text file, belongs into `.indexignore`: opm reads every file, whatever its
name.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg.go",
        "Meta.UnmarshalJSON",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("not_an_object.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::NotAnObject) {
        let found =
            fault.message.split_once("cannot unmarshal ").and_then(|(_, rest)| rest.split_once(" into Go "));
        let found = found.map_or("", |(found, _)| found);
        let message = format!("the document is {}, not an object with a schema", go_words::found_kind(found));
        let help = if found == "array" {
            "make each item a document of its own, with `---` lines between them"
        } else {
            "write a blob with a `schema`, or remove this text"
        };
        findings.push(
            load_fault::finding(&RULE, fault, message)
                .label("not an object")
                .help(load_fault::stray_file_help(&fault.path, help)),
        );
    }
}
