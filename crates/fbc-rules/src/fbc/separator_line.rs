//! Lines that begin with `---` and go on.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::load::{FaultPlace, LoadFault, LoadFaultKind};

use super::load_fault;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC004",
    name: "bad-separator",
    since: "0.1.0",
    summary: "A line begins with `---` and goes on",
    explanation: "\
The reader cuts a file into documents before it looks at the YAML in it. To it, a line that begins with
`---` is a separator, and nothing but white space and a comment may follow; it does not matter whether
the line lies within a block of text.

Move what follows the dashes to the next line. Indent a line of text that begins with dashes.",
    sources: &[Source::Code("kubernetes/apimachinery:pkg/util/yaml/decoder.go", "YAMLReader.Read")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("separator_line.cases"),
};

/// Three dashes and nothing else, or what follows them on a line of its own.
fn fix(context: &Context<'_>, fault: &LoadFault, rest: &str) -> Option<Fix> {
    let FaultPlace::Byte(start) = fault.place else { return None };
    let origin = fault.origin?;
    let text = context.tree.read(&fault.path).ok()?;
    let line = text.get(start..)?.split(|&byte| byte == b'\n').next()?;
    let dashes = line.iter().take_while(|&&byte| byte == b'-').count();
    if rest.bytes().all(|byte| byte == b'-') {
        return Some(Fix::safe("write three dashes").replace(
            origin,
            start..start + line.trim_ascii_end().len(),
            "---",
        ));
    }
    let blanks = line.get(dashes..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let bytes = start + dashes..start + dashes + blanks;
    (dashes == 3)
        .then(|| Fix::risky("put what follows the dashes on the next line").replace(origin, bytes, "\n"))
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut fixes = 0..names::MAX_SUGGESTIONS;
    for fault in load_fault::of_kind(context, LoadFaultKind::Separator) {
        let rest = fault.message.strip_prefix("invalid Yaml document separator: ").unwrap_or_default();
        let message =
            format!("a line that begins with --- separates documents and cannot go on with {}", quote(rest));
        let fix = fixes.next().and_then(|_| fix(context, fault, rest));
        let help = if rest.bytes().all(|byte| byte == b'-') {
            "a separator has three dashes, no more"
        } else {
            "put what follows the dashes on the next line"
        };
        findings.push(
            load_fault::finding(&RULE, fault, message)
                .label("no valid separator")
                .fix_if(fix)
                .help(load_fault::stray_file_help(&fault.path, help)),
        );
    }
}
