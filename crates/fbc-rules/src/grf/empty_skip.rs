//! Empty names in `skips`.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::{entry_leaf, leaf_order};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF009",
    name: "empty-skip",
    since: "0.1.0",
    summary: "A name in `skips` is empty",
    explanation: "\
Every item of `skips` is the name of a bundle. An empty item is mostly what is left of a template or a
script that found nothing to put there.

Remove the item.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Bundle.Validate"),
        Source::Statement("D-FBC-19", "4.1.3.2"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("empty_skip.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for channel in &view.channels {
            for (number, entry) in channel.entries().iter().enumerate() {
                for (index, _) in entry.skips.iter().enumerate().filter(|(_, skip)| skip.is_empty()) {
                    let message = format!(
                        "`skips` of {} in channel {} holds an empty name",
                        quote(&entry.name),
                        quote(&channel.name)
                    );
                    let text = format!("skip[{index}] is empty");
                    findings.push(
                        Finding::new(&RULE, message)
                            .at(context.value(channel.origin, format!("/entries/{number}/skips/{index}")))
                            .about(Subject::entry(package, &channel.name, &entry.name))
                            .help("remove the item")
                            .fix(
                                Fix::safe("remove the item")
                                    .remove(channel.origin, format!("/entries/{number}/skips/{index}")),
                            )
                            .opm(entry_leaf(package, &channel.name, &entry.name, leaf_order::SKIP, text)),
                    );
                }
            }
        }
    }
}
