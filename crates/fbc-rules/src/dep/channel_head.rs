//! Channels whose head is deprecated.

use std::collections::HashSet;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::names::name_list;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::references::references;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP013",
    name: "deprecated-channel-head",
    since: "0.1.0",
    summary: "The head of a channel is deprecated, and the channel is not",
    explanation: "\
The head is what new users of a channel get, and where all updates of the channel lead. If it is
deprecated, all users of the channel end with a warning and have no update that takes it away.

Add a newer bundle to the channel. If the channel as a whole has come to its end, deprecate the channel, so
that its users learn where to go.",
    sources: &[
        Source::Advice("the head is what new users of a channel get, and where its updates lead"),
        Source::Statement("D-FBC-2", "3.4"),
        Source::Statement("D-FBC-26", "4.1.3.4"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("channel_head.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // Packages are deprecated without a name.
    let deprecated: HashSet<(&str, &str)> = references(context)
        .filter(|reference| matches!(reference.entry.schema.as_str(), schema::CHANNEL | schema::PACKAGE))
        .map(|reference| (reference.blob.package.as_str(), reference.entry.name.as_str()))
        .collect();
    for reference in references(context) {
        let (package, bundle) = (reference.blob.package.as_str(), reference.entry.name.as_str());
        if reference.is_repeated
            || reference.entry.schema != schema::BUNDLE
            || deprecated.contains(&(package, ""))
        {
            continue;
        }
        let channels: Vec<&str> = reference
            .view
            .channel_graphs()
            .filter(|graph| graph.analysis.head().is_some_and(|head| graph.name(head) == bundle))
            .map(|graph| graph.channel.name.as_str())
            .filter(|channel| !deprecated.contains(&(package, *channel)))
            .collect();
        let Some(first) = channels.first() else { continue };
        let word = if channels.len() == 1 { "channel" } else { "channels" };
        findings.push(
            Finding::new(
                &RULE,
                format!(
                    "bundle {} is deprecated, and it is the head of {word} {}",
                    quote(bundle),
                    name_list(channels.iter().copied())
                ),
            )
            .at(reference.place(context, "/reference/name"))
            .about(Subject::entry(package, first, bundle))
            .label("where all updates lead")
            .help("add a newer bundle to the channel, or deprecate the channel as well"),
        );
    }
}
