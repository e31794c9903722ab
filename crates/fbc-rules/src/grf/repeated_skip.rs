//! Names that stand twice in `skips`.

use std::collections::HashSet;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF015",
    name: "repeated-skip",
    since: "0.1.0",
    summary: "A name stands twice in the `skips` of an entry",
    explanation: "\
The second item has no effect. Mostly it was meant to be another name.

Remove the item, or put the right name in its place.",
    sources: &[
        Source::Advice("a second mention of a name in `skips` has no effect"),
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Channel.Head"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("repeated_skip.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for channel in &view.channels {
            let entries = channel.entries().iter().enumerate();
            for (number, entry) in entries.filter(|(_, entry)| entry.skips.len() > 1) {
                let mut seen = HashSet::with_capacity(entry.skips.len());
                for (index, skip) in entry.skips.iter().enumerate() {
                    // Empty names have a finding of their own.
                    if skip.is_empty() || seen.insert(skip.as_str()) {
                        continue;
                    }
                    findings.push(
                        Finding::new(
                            &RULE,
                            format!(
                                "{} skips {} twice in channel {}",
                                quote(&entry.name),
                                quote(skip),
                                quote(&channel.name)
                            ),
                        )
                        .at(context.value(channel.origin, format!("/entries/{number}/skips/{index}")))
                        .about(Subject::entry(package, &channel.name, &entry.name))
                        .label("stands here already")
                        .fix(
                            Fix::safe("remove the second")
                                .remove(channel.origin, format!("/entries/{number}/skips/{index}")),
                        )
                        .help("remove it, or put the right name in its place"),
                    );
                }
            }
        }
    }
}
