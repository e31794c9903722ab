//! Text that is neither YAML nor JSON.

use std::collections::HashMap;
use std::path::Path;

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;
use fbc_model::load::{FaultPlace, LoadFaultKind};
use fbc_yaml::stream::Syntax;

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
    cases: include_str!("malformed.cases"),
};

/// How many lines before the place where the parser gives up may hold the mistake.
const LINES_BEFORE: usize = 3;

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut texts: HashMap<&Path, Option<Vec<u8>>> = HashMap::new();
    for fault in load_fault::of_kind(context, LoadFaultKind::Malformed) {
        let syntax = syntax(context, fault.origin);
        let reason = reason(&fault.message);
        let text = texts.entry(&fault.path).or_insert_with(|| context.tree.read(&fault.path).ok());
        let mistake = match (&fault.place, text) {
            (FaultPlace::Byte(byte), Some(text)) => mistake_at(text, *byte),
            _ => None,
        };
        findings.push(
            load_fault::finding(&RULE, fault, format!("the document is not valid {syntax}: {reason}"))
                .label("the parser gives up here")
                .help(load_fault::stray_file_help(&fault.path, mistake.unwrap_or_else(|| help(reason)))),
        );
    }
}

/// What the lines at a place, and those before it, tell better than the parser.
fn mistake_at(text: &[u8], byte: usize) -> Option<&'static str> {
    let (before, after) = text.split_at_checked(byte)?;
    let end = after.iter().position(|byte| *byte == b'\n').unwrap_or(after.len());
    let begin = before.rsplit(|byte| *byte == b'\n').take(LINES_BEFORE + 1).map(|line| line.len() + 1).sum();
    let near = text.get(byte.saturating_sub(begin)..byte + end)?;
    let lines = || near.split(|byte| *byte == b'\n');
    // The first side of a conflict may be long, and be read without a fault.
    let is_marker = |line: &[u8]| {
        line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ") || line.trim_ascii_end() == b"======="
    };
    if lines().any(is_marker) {
        return Some(
            "resolve the merge conflict: no line begins with `<<<<<<<`, `=======` or `>>>>>>>` then",
        );
    }
    let no_break_space = "\u{a0}".as_bytes();
    let is_indented = |line: &[u8]| line.trim_ascii_start().starts_with(no_break_space);
    lines().any(is_indented).then_some("a line is indented with no-break spaces; replace them with spaces")
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
    use super::mistake_at;

    #[test]
    fn mistakes_that_the_parser_does_not_name() {
        let seen = |text: &str, place: &str, words: &str| {
            let byte = text.find(place).unwrap();
            mistake_at(text.as_bytes(), byte).is_some_and(|help| help.contains(words))
        };
        let conflict = "a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> topic\nc: 1\n";
        assert!(seen(conflict, "b: 2", "merge conflict") && seen(conflict, "c: 1", "merge conflict"));
        let long = "a:\n<<<<<<< HEAD\n- 1\n- 2\n- 3\n- 4\n- 5\n=======\n- 6\n>>>>>>> topic\n";
        assert!(seen(long, "=======", "merge conflict"));
        assert!(seen("a:\n \u{a0}b: 1\n", "b: 1", "no-break spaces"));
        // What is far from the fault is another matter, and so is what merely holds such characters.
        let far = "a: |\n  \u{a0}x\nb: 1\nc: 1\nd: 1\ne: 1\n\tf: 1\n";
        assert!(!seen(far, "f: 1", ""));
        for text in ["x", "a: '<<<<<<< b' x\n", "a: b\u{a0}c x\n", "======= x\n"] {
            assert!(!seen(text, "x", ""), "{text:?}");
        }
        assert_eq!(mistake_at(b"a", 7), None);
    }
}
