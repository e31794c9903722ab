//! Ignore files that cannot be read.

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::load::LoadFaultKind;

use super::load_fault;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC002",
    name: "bad-indexignore",
    since: "0.1.0",
    summary: "An `.indexignore` file cannot be read",
    explanation: "\
`.indexignore` says which files are not part of the catalog, one pattern on each line. This one cannot be
read, or has a line of more than 64 KiB, which opm refuses.

Put one pattern on each line, as in `.gitignore`.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "walkFiles"),
        Source::Code("joelanford/ignore:ignore.go", "NewMatcher"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("index_ignore_file.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::IndexIgnore) {
        let (message, help) = if fault.message.contains("token too long") {
            ("a line of this file is longer than 64 KiB".to_owned(), "put each pattern on a line of its own")
        } else {
            let reason = fault.message.rsplit_once(": ").map_or(fault.message.as_str(), |(_, reason)| reason);
            (format!("this file cannot be read: {reason}"), "fix it or remove it")
        };
        findings.push(load_fault::finding(&RULE, fault, message).label("cannot be used").help(help));
    }
}
