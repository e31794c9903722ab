//! Text that is neither YAML nor JSON.

use fbc_model::Origin;
use fbc_model::load::LoadFaultKind;
use fbc_yaml::stream::Syntax;

use crate::context::Context;
use crate::finding::Findings;
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::load_fault;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC003",
    name: "malformed-document",
    since: "0.1.0",
    summary: "A document is not valid YAML or JSON",
    explanation: "\
Every file of a catalog is read as YAML or JSON, whatever its name. The place shown is where the parser
gave up; the mistake is there or a little before it.

Common mistakes: a tab in the indentation; a text with `: ` or ` #` in it, or one that begins with `*`,
`&`, `@`, `%`, `{` or a back quote, without quotes; a list item that is not as far to the right as its
neighbours; a missing or superfluous comma in JSON; comments in JSON.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "WalkMetasReader")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case { title: "well-formed", files: "schema: olm.package\nname: foo\n", findings: &[] },
        Case {
            title: "a colon in a text without quotes",
            files: "schema: olm.package\nname: foo\ndescription: note: this\n",
            findings: &[
                "3:18 the document is not valid YAML: mapping values are not allowed in this context",
            ],
        },
        Case {
            title: "a superfluous comma",
            files: "{\"schema\": \"olm.package\",, \"name\": \"foo\"}\n",
            findings: &[
                "1:26 the document is not valid JSON: invalid character ',' looking for beginning of object key string",
            ],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::Malformed) {
        let syntax = syntax(context, fault.origin);
        let reason = reason(&fault.message);
        findings.push(
            load_fault::finding(&RULE, fault, format!("the document is not valid {syntax}: {reason}"))
                .label("the parser gives up here")
                .help(load_fault::stray_file_help(&fault.path, help(reason))),
        );
    }
}

fn syntax(context: &Context<'_>, origin: Option<Origin>) -> &'static str {
    match origin.and_then(|origin| context.catalog.document(origin)).map(|document| document.syntax) {
        Some(Syntax::Json) => "JSON",
        _ => "YAML",
    }
}

/// opm's text without its line or offset, which count from somewhere else than people do.
fn reason(message: &str) -> &str {
    let message = message.strip_prefix("error converting YAML to JSON: ").unwrap_or(message);
    let message = message.strip_prefix("yaml: ").or(message.strip_prefix("json: ")).unwrap_or(message);
    match message.split_once(": ") {
        Some((place, rest)) if place.starts_with("line ") || place.starts_with("offset ") => rest,
        _ => message,
    }
}

fn help(reason: &str) -> &'static str {
    if reason.contains("cannot start any token") || reason.contains("tab character") {
        "indent with spaces, never with tabs; put texts that begin with a special character in quotes"
    } else if reason.contains("mapping values are not allowed") {
        "put a text that contains `: ` in quotes, and check the indentation of this line and the one before"
    } else if reason.contains("did not find expected <document start>") {
        "a directive such as `%YAML` cannot stand here; remove it, and put texts that begin with `%` in quotes"
    } else if reason.contains("did not find expected key")
        || reason.contains("did not find expected '-' indicator")
    {
        "indent the lines of one object or list alike; close quotes and brackets"
    } else if reason.contains("UTF-8") || reason.contains("control characters") {
        "save the file as UTF-8 text"
    } else if reason.contains("unexpected EOF") || reason.contains("unexpected end of stream") {
        "the text ends too early: a bracket or a quote is not closed"
    } else if reason.contains("unknown anchor") {
        "an anchor is known in its own document only; texts that begin with `*` need quotes"
    } else if reason.contains("unsupported value") {
        "JSON has no such number; put it in quotes if it is a text"
    } else {
        "see the explanation of this rule for common mistakes"
    }
}
