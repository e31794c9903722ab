//! Skipped entries whose only updates are skipped too.

use std::collections::HashSet;

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::graph::ChannelGraph;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::blang::Range;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF017",
    name: "skipped-without-update",
    since: "0.1.0",
    summary: "Users of a skipped entry have no update under OLM v0",
    explanation: "\
OLM v0 installs only what lies on the replaces chain from the head; a skipped entry is never installed. So
an update from a skipped entry must lead to an entry on the chain: one that replaces it, skips it, or covers
its version with `skipRange`. If only skipped entries do, its users stay where they are.

opm accepts this, because every entry is on the chain or skipped by *something*. The semver template
generates such channels when skips are in it over several minor versions. OLM v1 has no such limit.

Add the entry to `skips` of an entry on the chain, mostly of the head.",
    sources: &[
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "sortChannel",
        ),
        Source::Code(
            "operator-framework/operator-registry:alpha/model/model.go",
            "Channel.validateReplacesChain",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("skipped_without_update.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for graph in view.channel_graphs() {
            let analysis = graph.analysis;
            // Without a sound chain there are errors enough, and nothing to measure against.
            let Some(head) = analysis.head() else { continue };
            if !analysis.stranded.is_empty() || !analysis.cycle().is_empty() {
                continue;
            }
            for stuck in without_update(view, graph) {
                let (channel, name) = (graph.channel, graph.name(stuck));
                findings.push(
                    Finding::new(
                        &RULE,
                        format!(
                            "users of {} in channel {} have no update under OLM v0: \
                             only skipped entries replace or skip it",
                            quote(name),
                            quote(&channel.name)
                        ),
                    )
                    .at(context.value(channel.origin, format!("/entries/{stuck}")))
                    .about(Subject::entry(package, &channel.name, name))
                    .label("no update leads away from it")
                    .help(format!("add it to `skips` of the head, {}", quote(graph.name(head)))),
                );
            }
        }
    }
}

/// The skipped entries that no entry on the chain replaces, skips or covers.
fn without_update(view: &PackageView<'_>, graph: ChannelGraph<'_>) -> Vec<usize> {
    let (analysis, entries) = (graph.analysis, graph.channel.entries());
    if analysis.skipped_by.iter().all(Option::is_none) {
        return Vec::new();
    }
    let on_chain: HashSet<usize> = analysis.chain.iter().copied().collect();
    let mut updated: HashSet<&str> = HashSet::new();
    for entry in analysis.chain.iter().filter_map(|&entry| graph.entry(entry)) {
        updated.insert(&entry.replaces);
        updated.extend(entry.skips.iter().map(String::as_str));
    }
    let mut ranges: Option<Vec<&Range>> = None;
    let skipped = (0..entries.len()).filter(|&entry| {
        analysis.skipped_by.get(entry).copied().flatten().is_some() && !on_chain.contains(&entry)
    });
    skipped
        .filter(|&entry| !updated.contains(graph.name(entry)))
        .filter(|&entry| {
            let ranges = ranges.get_or_insert_with(|| {
                let chain = analysis.chain.iter().filter_map(|&entry| graph.entry(entry));
                chain.filter_map(|entry| view.graph().readable_skip_range(entry)).collect()
            });
            let version = view.graph().version(graph.name(entry));
            !version.is_some_and(|version| ranges.iter().any(|range| range.matches(version)))
        })
        .collect()
}
