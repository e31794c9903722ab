//! Replaces chains that run in a circle.

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::graph::ChannelGraph;
use fbc_lint::names::name_list;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::{channel_leaf, leaf_order};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF004",
    name: "replaces-cycle",
    since: "0.1.0",
    summary: "The replaces chain of a channel runs in a circle",
    explanation: "\
From the head of a channel, opm follows `replaces` from entry to entry, and expects to come to an end. If
an entry replaces one that was passed already, users on the circle would be updated for ever.

Remove the `replaces` of an older entry that names a newer one.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/model/model.go",
        "Channel.validateReplacesChain",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("cycle.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for graph in view.channel_graphs() {
            let cycle = graph.analysis.cycle();
            let Some(&first) = cycle.first() else { continue };
            let channel = graph.channel;
            let path: Vec<&str> = cycle.iter().chain([&first]).map(|&entry| graph.name(entry)).collect();
            let wrong = edge_to_newer(view, graph, cycle);
            findings.push(
                Finding::new(
                    &RULE,
                    format!(
                        "the replaces chain of channel {} runs in a circle: {} and again {}",
                        quote(&channel.name),
                        name_list(cycle.iter().map(|&entry| graph.name(entry))),
                        quote(graph.name(first))
                    ),
                )
                .at(context.value(channel.origin, format!("/entries/{wrong}/replaces")))
                .about(Subject::entry(package, &channel.name, graph.name(wrong)))
                .label("closes the circle")
                .fix(
                    Fix::risky(format!("remove `replaces` of {}", quote(graph.name(wrong))))
                        .remove(channel.origin, format!("/entries/{wrong}/replaces")),
                )
                .help(format!(
                    "remove `replaces` of {}, or let it name an older entry",
                    quote(graph.name(wrong))
                ))
                .opm(channel_leaf(
                    package,
                    &channel.name,
                    leaf_order::CHANNEL,
                    format!("detected cycle in replaces chain of upgrade graph: {}", path.join(" -> ")),
                )),
            );
        }
    }
}

/// The entry of a cycle that replaces a newer one; the last where versions do not tell.
fn edge_to_newer(view: &PackageView<'_>, graph: ChannelGraph<'_>, cycle: &[usize]) -> usize {
    let replaces_newer = |&&entry: &&usize| {
        let replaces = graph.entry(entry).map(|entry| entry.replaces.as_str()).unwrap_or_default();
        view.graph().compare(graph.name(entry), replaces).is_some_and(std::cmp::Ordering::is_lt)
    };
    cycle.iter().find(replaces_newer).or(cycle.last()).copied().unwrap_or_default()
}
