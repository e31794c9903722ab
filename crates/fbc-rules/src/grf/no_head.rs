//! Channels in which every entry is replaced or skipped.

use fbc_go::text::quote;
use fbc_graph::ChainEnd;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::graph::ChannelGraph;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::{channel_leaf, leaf_order};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF001",
    name: "no-channel-head",
    since: "0.1.0",
    summary: "Every entry of a channel is replaced or skipped by one",
    explanation: "\
The head of a channel is the entry that no other entry replaces or skips: what a new user gets, and where
all updates lead. If the edges run in a circle, or an entry replaces or skips itself, there is none.

Remove the edges that lead from the newest entry to an older one, so that nothing replaces or skips it.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Channel.Head")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("no_head.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for graph in view.channel_graphs().filter(|graph| graph.analysis.end == ChainEnd::NoHead) {
            let channel = graph.channel;
            let mut finding = Finding::new(
                &RULE,
                format!(
                    "channel {} has no head: every entry is replaced or skipped by one",
                    quote(&channel.name)
                ),
            )
            .about(Subject::channel(package, &channel.name))
            .opm(channel_leaf(
                package,
                &channel.name,
                leaf_order::CHANNEL,
                "no channel head found in graph",
            ));
            finding = match edge_to_newest(view, graph) {
                Some((newest, by, pointer)) => finding
                    .fix(
                        Fix::risky(format!("remove {} from the edges of {}", quote(newest), quote(by)))
                            .remove(channel.origin, pointer.clone()),
                    )
                    .at(context.value(channel.origin, pointer))
                    .label("leads away from the newest entry")
                    .help(if newest == by {
                        format!("remove {} from the edges of its own entry", quote(newest))
                    } else {
                        format!(
                            "{} is the newest entry: if it is to be the head, remove it from the edges of {}",
                            quote(newest),
                            quote(by)
                        )
                    }),
                None => finding.at(context.value(channel.origin, "/entries")),
            };
            findings.push(finding);
        }
    }
}

/// The newest entry, an entry that replaces or skips it, and the place where it does. Without versions
/// the last name counts as the newest.
fn edge_to_newest<'a>(view: &PackageView<'_>, graph: ChannelGraph<'a>) -> Option<(&'a str, &'a str, String)> {
    let entries = graph.channel.entries();
    let newest = entries.iter().map(|entry| entry.name.as_str()).max_by(|a, b| view.graph().order(a, b))?;
    entries.iter().enumerate().find_map(|(number, entry)| {
        if entry.replaces == newest {
            return Some((newest, entry.name.as_str(), format!("/entries/{number}/replaces")));
        }
        let skip = entry.skips.iter().position(|skip| skip == newest)?;
        Some((newest, entry.name.as_str(), format!("/entries/{number}/skips/{skip}")))
    })
}
