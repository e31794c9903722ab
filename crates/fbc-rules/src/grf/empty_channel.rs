//! Channels without entries.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::{channel_leaf, leaf_order};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF005",
    name: "empty-channel",
    since: "0.1.0",
    summary: "A channel has no entries",
    explanation: "\
A channel without entries offers nothing to install, so opm refuses it.

Add an entry for every bundle of the channel, or remove the channel. Users of a channel that is removed
stay where they are until they choose another one.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Channel.Validate"),
        Source::Statement("D-FBC-45", "4.5.1"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("empty_channel.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for channel in view.channels.iter().filter(|channel| channel.entries().is_empty()) {
            let pointer = if channel.entries.is_some() { "/entries" } else { "/name" };
            findings.push(
                Finding::new(&RULE, format!("channel {} has no entries", quote(&channel.name)))
                    .at(context.value(channel.origin, pointer))
                    .about(Subject::channel(package, &channel.name))
                    .fix(Fix::risky("remove the channel").remove_document(channel.origin))
                    .help("add an entry for every bundle of the channel, or remove the channel")
                    .opm(channel_leaf(
                        package,
                        &channel.name,
                        leaf_order::CHANNEL,
                        "channel must contain at least one bundle",
                    )),
            );
        }
    }
}
