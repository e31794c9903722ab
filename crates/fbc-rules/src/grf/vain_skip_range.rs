//! Ranges that cover no version at all.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::blang::RangeError;

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
                let (problem, label, help) = match view.graph().skip_range(entry) {
                    Some(Err(RangeError::EmptyAlternative)) => (
                        "is not a range: nothing stands between two `||`",
                        "crashes opm and OLM",
                        "remove one `||`, or write the range that is missing: opm crashes over it",
                    ),
                    Some(Ok(range)) if range.intervals().is_empty() => {
                        ("covers no version at all", "moves nobody on", "correct the range, or remove it")
                    }
                    _ => continue,
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
                    .label(label)
                    .help(help),
                );
            }
        }
    }
}
