//! Channels with more than one head.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_graph::ChainEnd;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::{Fix, text_value};
use fbc_lint::graph::ChannelGraph;
use fbc_lint::names::name_list;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::closest::closest;

use super::opm::{channel_leaf, leaf_order};
use super::spelling::Spellings;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF002",
    name: "several-channel-heads",
    since: "0.1.0",
    summary: "Several entries of a channel are replaced or skipped by none",
    explanation: "\
A channel must have exactly one head: one entry that no other entry replaces or skips. If there are more,
it is open what a new user gets, and users of one head never see the other.

Usually an edge was forgotten: let the newer head replace the older one, or add the older one to its
`skips`. `skipRange` is not an edge in this sense: it moves users on, but hides no head.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Channel.Head"),
        Source::Statement("D-FBC-22", "4.1.3.2"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("several_heads.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for graph in view.channel_graphs().filter(|graph| graph.analysis.end == ChainEnd::SeveralHeads) {
            findings.push(explain(context, package, view, graph));
        }
    }
}

fn explain(context: &Context<'_>, package: &str, view: &PackageView<'_>, graph: ChannelGraph<'_>) -> Finding {
    let channel = graph.channel;
    // The newest first.
    let mut heads = graph.analysis.heads.clone();
    heads.sort_by(|&a, &b| view.graph().order(graph.name(b), graph.name(a)));
    let sorted: BTreeSet<&str> = heads.iter().map(|&head| graph.name(head)).collect();
    let text = format!(
        "multiple channel heads found in graph: {}",
        sorted.into_iter().collect::<Vec<_>>().join(", ")
    );
    let mut finding = Finding::new(
        &RULE,
        format!(
            "channel {} has {} heads: {}",
            quote(&channel.name),
            heads.len(),
            name_list(heads.iter().map(|&head| graph.name(head)))
        ),
    )
    .about(Subject::channel(package, &channel.name))
    .label("nothing replaces or skips it")
    .opm(channel_leaf(package, &channel.name, leaf_order::CHANNEL, text));
    let (Some(&newest), Some(&older)) = (heads.first(), heads.get(1)) else { return finding };
    let others = heads.get(1..).unwrap_or_default();
    let meant = misspelt(view, graph, newest, others);
    finding = finding
        .related(context.value(channel.origin, format!("/entries/{newest}/name")), "the newest head")
        .fix(edge(graph, newest, others, meant))
        .fix_if(longer_chain(graph, newest, others).filter(|_| meant.is_none()))
        .at(context.value(channel.origin, format!("/entries/{older}")))
        .help(missing_edge(graph, newest, others, meant));
    if let Some(note) = unknown_replaced(graph, newest, others, meant) {
        finding = finding.note(note);
    }
    let (newest, older) = (graph.entry(newest), graph.name(older));
    let covers = newest
        .and_then(|entry| view.graph().readable_skip_range(entry))
        .zip(view.graph().version(older))
        .is_some_and(|(range, version)| range.matches(version));
    if covers {
        finding = finding.note(format!(
            "the `skipRange` of {} covers {}, but only `replaces` and `skips` decide about heads",
            quote(newest.map(|entry| entry.name.as_str()).unwrap_or_default()),
            quote(older)
        ));
    }
    finding
}

/// The other head that the newest one names in `replaces`, misspelt.
fn misspelt(
    view: &PackageView<'_>,
    graph: ChannelGraph<'_>,
    newest: usize,
    others: &[usize],
) -> Option<usize> {
    let entry = graph.entry(newest).filter(|entry| !entry.replaces.is_empty())?;
    let spellings = Spellings::new(view);
    if spellings.has(&entry.replaces) {
        return None;
    }
    let meant = spellings.meant(&entry.replaces)?;
    others.iter().copied().find(|&head| graph.name(head) == meant)
}

/// That the newest head replaces what the channel does not have, which may be another head misspelt.
fn unknown_replaced(
    graph: ChannelGraph<'_>,
    newest: usize,
    others: &[usize],
    meant: Option<usize>,
) -> Option<String> {
    let entry = graph.entry(newest).filter(|entry| !entry.replaces.is_empty())?;
    if graph.channel.entries().iter().any(|known| known.name == entry.replaces) {
        return None;
    }
    let close = || closest(&entry.replaces, others.iter().map(|&head| graph.name(head)));
    let meant = meant.map(|head| graph.name(head)).or_else(close);
    let question = meant.map(|name| format!("; did you mean {}?", quote(name))).unwrap_or_default();
    let (name, replaced) = (quote(&entry.name), quote(&entry.replaces));
    Some(format!("{name} replaces {replaced}, which the channel does not have{question}"))
}

/// The edits that make the newest head the only one.
fn edge(graph: ChannelGraph<'_>, newest: usize, others: &[usize], meant: Option<usize>) -> Fix {
    let origin = graph.channel.origin;
    if let Some(meant) = meant {
        let (name, meant_name) = (quote(graph.name(newest)), graph.name(meant));
        let fix = Fix::risky(format!("let {name} replace {}, as it seems to mean", quote(meant_name)));
        let fix = fix.set(origin, format!("/entries/{newest}/replaces"), meant_name);
        return others.iter().filter(|&&head| head != meant).fold(fix, |fix, &head| {
            fix.append(origin, format!("/entries/{newest}/skips"), text_value(graph.name(head)))
        });
    }
    let names = name_list(others.iter().map(|&head| graph.name(head)));
    let replaces_nothing = graph.entry(newest).is_some_and(|entry| entry.replaces.is_empty());
    if let ([only], true) = (others, replaces_nothing) {
        let fix = Fix::risky(format!("let {} replace {names}", quote(graph.name(newest))));
        return fix.set(origin, format!("/entries/{newest}/replaces"), graph.name(*only));
    }
    let fix = Fix::risky(format!("let {} skip {names}", quote(graph.name(newest))));
    others.iter().fold(fix, |fix, &head| {
        fix.append(origin, format!("/entries/{newest}/skips"), text_value(graph.name(head)))
    })
}

/// The edits that put the newest of the other heads into the chain, before what the newest head replaces now: those that
/// the other heads lead to stay reachable.
fn longer_chain(graph: ChannelGraph<'_>, newest: usize, others: &[usize]) -> Option<Fix> {
    let origin = graph.channel.origin;
    let (next, skipped) = others.split_first()?;
    let replaced =
        graph.entry(newest).map(|entry| entry.replaces.as_str()).filter(|name| !name.is_empty())?;
    let (newest_name, next) = (quote(graph.name(newest)), graph.name(*next));
    let skipped: Vec<&str> =
        std::iter::once(replaced).chain(skipped.iter().map(|&head| graph.name(head))).collect();
    let names = name_list(skipped.iter().copied());
    let fix = Fix::risky(format!("let {newest_name} replace {}, and skip {names}", quote(next))).set(
        origin,
        format!("/entries/{newest}/replaces"),
        next,
    );
    let skips = format!("/entries/{newest}/skips");
    Some(skipped.iter().fold(fix, |fix, name| fix.append(origin, skips.clone(), text_value(name))))
}

/// The edge that makes the newest head the only one.
fn missing_edge(graph: ChannelGraph<'_>, newest: usize, others: &[usize], meant: Option<usize>) -> String {
    let name = quote(graph.name(newest));
    if let Some(meant) = meant {
        return format!("write {} in `replaces` of {name}", quote(graph.name(meant)));
    }
    let replaces_nothing = graph.entry(newest).is_some_and(|entry| entry.replaces.is_empty());
    let names = name_list(others.iter().map(|&head| graph.name(head)));
    match others {
        [_] if replaces_nothing => format!("let {name} replace {names}"),
        _ => format!("add {names} to `skips` of {name}, or let it replace the newest of them"),
    }
}
