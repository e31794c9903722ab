//! Text that is neither YAML nor JSON.

use std::collections::HashMap;
use std::path::Path;

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
`&`, `@`, `%`, `>`, `|`, `{` or a back quote, without quotes, such as `skipRange: >=1.0.0 <1.2.0`; a list item
that is not as far to the right as its neighbours; the markers of a merge that was not finished (`<<<<<<<`);
no-break spaces from a web page; a missing or superfluous comma in JSON; comments in JSON.",
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
            title: "a range without quotes",
            files: "schema: olm.package\nname: foo\nskipRange: >=1.0.0 <1.2.0\n",
            findings: &["3:13 the document is not valid YAML: did not find expected comment or line break"],
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
    let mut mistakes: HashMap<&Path, Option<&'static str>> = HashMap::new();
    for fault in load_fault::of_kind(context, LoadFaultKind::Malformed) {
        let syntax = syntax(context, fault.origin);
        let reason = reason(&fault.message);
        let mistake = *mistakes
            .entry(&fault.path)
            .or_insert_with(|| context.tree.read(&fault.path).ok().and_then(|text| mistake_in(&text)));
        findings.push(
            load_fault::finding(&RULE, fault, format!("the document is not valid {syntax}: {reason}"))
                .label("the parser gives up here")
                .help(load_fault::stray_file_help(&fault.path, mistake.unwrap_or_else(|| help(reason)))),
        );
    }
}

/// What a look at the whole file tells better than the parser.
fn mistake_in(text: &[u8]) -> Option<&'static str> {
    let has_line = |marker: &[u8]| text.split(|byte| *byte == b'\n').any(|line| line.starts_with(marker));
    if has_line(b"<<<<<<< ") && has_line(b">>>>>>> ") {
        return Some(
            "a merge was not finished here: keep one side, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`",
        );
    }
    let no_break_space = "\u{a0}".as_bytes();
    let indents = |line: &[u8]| line.trim_ascii_start().starts_with(no_break_space);
    text.split(|byte| *byte == b'\n')
        .any(indents)
        .then_some("a line is indented with no-break spaces; replace them with spaces")
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
    } else if reason.contains("did not find expected comment or line break") {
        "put a text that begins with `>` or `|` in quotes, such as \">=1.0.0 <1.2.0\""
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

#[cfg(test)]
mod tests {
    use super::mistake_in;

    #[test]
    fn mistakes_that_the_parser_does_not_name() {
        let seen =
            |text: &str, words: &str| mistake_in(text.as_bytes()).is_some_and(|help| help.contains(words));
        assert!(seen("a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> topic\n", "a merge was not finished"));
        assert!(seen("a:\n \u{a0}b: 1\n", "no-break spaces"));
        for text in ["", "a: '<<<<<<< b'\n", "a: b\u{a0}c\n", ">>>>>>> only one\n"] {
            assert_eq!(mistake_in(text.as_bytes()), None, "{text:?}");
        }
    }
}
