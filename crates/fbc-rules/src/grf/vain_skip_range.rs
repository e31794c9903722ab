//! Ranges that cover no version at all.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF014",
    name: "skip-range-without-effect",
    since: "0.1.0",
    summary: "A `skipRange` covers no version at all",
    explanation: "\
No version can satisfy the range, so it moves nobody on. Comparisons that stand side by side must all
hold: `<1.0.0 >2.0.0` is empty, `<1.0.0 || >2.0.0` is not.

Nothing between two `||` is worse: opm accepts the range when it validates, and crashes when it uses it.

Correct the range, or remove it.",
    sources: &[Source::Code("blang/semver:v4/range.go", "ParseRange")],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("vain_skip_range.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for channel in &view.channels {
            for (number, entry) in channel.entries().iter().enumerate() {
                let Some(range) = view.graph().readable_skip_range(entry) else { continue };
                let (problem, help) = if range.has_empty_alternative() {
                    ("has nothing between two `||`", "remove one `||`: opm crashes over this range")
                } else if range.intervals().is_empty() {
                    ("covers no version at all", "correct the range, or remove it")
                } else {
                    continue;
                };
                findings.push(
                    Finding::new(
                        &RULE,
                        format!(
                            "`skipRange` {} of {} in channel {} {problem}",
                            quote(&entry.skip_range),
                            quote(&entry.name),
                            quote(&channel.name)
                        ),
                    )
                    .at(context.value(channel.origin, format!("/entries/{number}/skipRange")))
                    .about(Subject::entry(package, &channel.name, &entry.name))
                    .label(if range.has_empty_alternative() { "crashes opm" } else { "moves nobody on" })
                    .help(help),
                );
            }
        }
    }
}
