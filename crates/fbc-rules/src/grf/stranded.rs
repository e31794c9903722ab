//! Entries that the replaces chain does not reach.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_graph::ChainEnd;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::{Fix, text_value};
use fbc_lint::graph::ChannelGraph;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::{channel_leaf, leaf_order};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF003",
    name: "stranded-bundle",
    since: "0.1.0",
    summary: "An entry of a channel has no way to the head",
    explanation: "\
From the head, opm follows `replaces` from entry to entry. Every entry of the channel must lie on that way,
or be in the `skips` of some entry. Users of any other entry are stranded: OLM never offers them an update.

The way ends where an entry replaces nothing or something outside of the channel. It also ends *before* an
entry that is skipped by anyone, even if something replaces it: what lies below a skipped entry is cut off,
unless it is skipped too.

Add the stranded entry to `skips` of a newer entry on the way, or let the entry at the end of the way
replace it.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/model/model.go",
            "Channel.validateReplacesChain",
        ),
        Source::Statement("D-FBC-51", "4.5.2"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("stranded.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for graph in view.channel_graphs().filter(|graph| !graph.analysis.stranded.is_empty()) {
            explain(context, package, view, graph, findings);
        }
    }
}

fn explain(
    context: &Context<'_>,
    package: &str,
    view: &PackageView<'_>,
    graph: ChannelGraph<'_>,
    findings: &mut Findings,
) {
    let (channel, analysis) = (graph.channel, graph.analysis);
    let sorted: BTreeSet<&str> = analysis.stranded.iter().map(|&entry| graph.name(entry)).collect();
    let text = format!(
        "channel contains one or more stranded bundles: {}",
        sorted.into_iter().collect::<Vec<_>>().join(", ")
    );
    // opm has one text for all of them; it goes with the first.
    let mut opm = Some(channel_leaf(package, &channel.name, leaf_order::CHANNEL, text));
    let mut by_version = analysis.chain.clone();
    by_version.sort_by(|&a, &b| view.graph().order(graph.name(a), graph.name(b)));
    let end = end_of_way(graph);
    for &stranded in &analysis.stranded {
        let name = graph.name(stranded);
        let above = by_version.partition_point(|&entry| view.graph().order(graph.name(entry), name).is_lt());
        let newer = by_version.get(above).or(analysis.chain.first()).copied().unwrap_or_default();
        let mut help = format!("add {} to `skips` of {}", quote(name), quote(graph.name(newer)));
        if let (ChainEnd::Nothing, Some(&last)) = (analysis.end, analysis.chain.last()) {
            help.push_str(&format!(", or let {} replace it", quote(graph.name(last))));
        }
        let mut finding = Finding::new(
            &RULE,
            format!("channel {} leaves {} without a way to the head", quote(&channel.name), quote(name)),
        )
        .at(context.value(channel.origin, format!("/entries/{stranded}")))
        .about(Subject::entry(package, &channel.name, name))
        .label("no update leads away from it")
        .fix(Fix::risky(format!("let {} skip {}", quote(graph.name(newer)), quote(name))).append(
            channel.origin,
            format!("/entries/{newer}/skips"),
            text_value(name),
        ))
        .note(end.clone())
        .help(help);
        finding.opm = opm.take();
        findings.push(finding);
    }
}

/// Where and why the way from the head ends.
fn end_of_way(graph: ChannelGraph<'_>) -> String {
    let last = graph.analysis.chain.last().copied().unwrap_or_default();
    let (head, name) = (graph.analysis.head().unwrap_or(last), quote(graph.name(last)));
    let way = if head == last {
        format!("the way ends at the head, {name}")
    } else {
        format!("the way from the head, {}, ends at {name}", quote(graph.name(head)))
    };
    match graph.analysis.end {
        ChainEnd::Skipped { entry, by } => {
            let (entry, by) = (quote(graph.name(entry)), quote(graph.name(by)));
            format!("{way}: it replaces {entry}, which {by} skips")
        }
        ChainEnd::Outside => {
            let outside = graph.entry(last).map(|entry| quote(&entry.replaces)).unwrap_or_default();
            format!("{way}: it replaces {outside}, which is not in the channel")
        }
        _ => format!("{way}: it replaces nothing"),
    }
}
