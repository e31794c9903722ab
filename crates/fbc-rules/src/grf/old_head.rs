//! Channels whose head is not their newest version.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::edge_to_newer::prerelease_help;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF016",
    name: "head-not-newest",
    since: "0.1.0",
    summary: "The head of a channel is older than another entry of it",
    explanation: "\
The head of a channel is what new users get, and where all updates lead. Here another entry of the channel
has a higher version, and is replaced or skipped by an older one.

If the newer version was withdrawn on purpose, all is well: ignore this. Otherwise turn the edges round, so
that the newest version is the head.",
    sources: &[
        Source::Advice("the head is what new users of a channel get, and where its updates lead"),
        Source::Statement("D-FBC-2", "3.4"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("old_head.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for graph in view.channel_graphs() {
            let Some(head) = graph.analysis.head() else { continue };
            let (channel, name) = (graph.channel, graph.name(head));
            let names = channel.entries().iter().map(|entry| entry.name.as_str());
            let newest = names.max_by(|a, b| view.graph().order(a, b)).unwrap_or_default();
            let versions = view.graph().version_release(name).zip(view.graph().version_release(newest));
            let Some((version, newest_version)) = versions else { continue };
            if version.compare_precedence(newest_version).is_ge() {
                continue;
            }
            let help = prerelease_help(version, newest_version).unwrap_or_else(|| {
                format!("if {} was not withdrawn on purpose, make it the head", quote(newest))
            });
            findings.push(
                Finding::new(
                    &RULE,
                    format!(
                        "the head of channel {} is {} ({version}), older than {} ({newest_version})",
                        quote(&channel.name),
                        quote(name),
                        quote(newest)
                    ),
                )
                .at(context.value(channel.origin, format!("/entries/{head}")))
                .about(Subject::entry(package, &channel.name, name))
                .label("what new users get")
                .help(help),
            );
        }
    }
}
