//! Edges that lead from a newer version to an older one.

use fbc_go::text::quote;
use fbc_graph::ChainEnd;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::graph::ChannelGraph;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::VersionRelease;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF012",
    name: "replaces-newer",
    since: "0.1.0",
    summary: "An entry replaces or skips a newer version",
    explanation: "\
`replaces` and `skips` name what users come from: older versions. An edge to a newer version offers its
users a downgrade as if it were an update. opm does not look at versions here.

Mostly two names were mixed up, or `replaces` stands in the wrong entry. A downgrade on purpose is better
made by a bundle of a higher version with the old contents.",
    sources: &[
        Source::Advice("an edge to a newer version offers its users a downgrade as if it were an update"),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/catalogmetadata/filter/successors.go",
            "legacySuccessor",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("edge_to_newer.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        // Where the edges run in a circle, one of them leads to a newer version, and there is a finding
        // about it.
        let in_circles = |end| matches!(end, ChainEnd::NoHead | ChainEnd::Cycle { .. });
        for graph in view.channel_graphs().filter(|graph| !in_circles(graph.analysis.end)) {
            let channel = graph.channel;
            let mut newest = None;
            for (number, entry) in channel.entries().iter().enumerate() {
                let replaces = ("replaces", &entry.replaces, None);
                let skips = entry.skips.iter().enumerate().map(|(index, skip)| ("skips", skip, Some(index)));
                for (verb, target, index) in std::iter::once(replaces).chain(skips) {
                    let versions =
                        view.graph().version_release(&entry.name).zip(view.graph().version_release(target));
                    let Some((own, newer)) =
                        versions.filter(|(own, other)| own.compare_precedence(other).is_lt())
                    else {
                        continue;
                    };
                    // That the head is not the newest entry is the business of another rule.
                    if graph.analysis.head() == Some(number)
                        && *newest.get_or_insert_with(|| newest_entry(view, graph)) == target.as_str()
                    {
                        continue;
                    }
                    let item = index.map(|index| format!("/{index}")).unwrap_or_default();
                    findings.push(
                        Finding::new(
                            &RULE,
                            format!(
                                "{} ({own}) {verb} the newer {} ({newer}) in channel {}",
                                quote(&entry.name),
                                quote(target),
                                quote(&channel.name)
                            ),
                        )
                        .at(context.value(channel.origin, format!("/entries/{number}/{verb}{item}")))
                        .about(Subject::entry(package, &channel.name, &entry.name))
                        .label("its users are offered a downgrade")
                        .help(prerelease_help(own, newer).unwrap_or_else(|| {
                            "name an older version here, or turn the edge round".to_owned()
                        })),
                    );
                }
            }
        }
    }
}

fn newest_entry<'a>(view: &PackageView<'_>, graph: ChannelGraph<'a>) -> &'a str {
    let names = graph.channel.entries().iter().map(|entry| entry.name.as_str());
    names.max_by(|a, b| view.graph().order(a, b)).unwrap_or_default()
}

/// What to do about a version that is older only because what was added to it makes it a prerelease.
pub(super) fn prerelease_help(older: &VersionRelease, newer: &VersionRelease) -> Option<String> {
    let is_rebuild = older.version.is_prerelease()
        && !newer.version.is_prerelease()
        && older.version.core() == newer.version.core();
    is_rebuild.then(|| {
        format!(
            "{older} is a prerelease, so it comes before {newer}: give a rebuilt bundle a higher version, \
             or a `release`"
        )
    })
}
