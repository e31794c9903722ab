//! Bundles that a channel lists twice.

use std::collections::HashMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC018",
    name: "duplicate-entry",
    since: "0.1.0",
    summary: "A channel lists a bundle twice",
    explanation: "\
A bundle has one entry in a channel, with one `replaces`, one list of `skips` and one `skipRange`. It
may be in other channels as well, with other edges.

Merge the entries into one.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-20", "4.1.3.2"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("duplicate_entry.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, channel) in context.catalog.channels.iter().enumerate() {
        let mut names = HashMap::with_capacity(channel.entries().len());
        for (index, entry) in channel.entries().iter().enumerate() {
            let (first_index, first) = *names.entry(entry.name.as_str()).or_insert((index, entry));
            if std::ptr::eq(first, entry) || entry.name.is_empty() {
                continue;
            }
            let (name, entry_name) = (quote(&channel.name), quote(&entry.name));
            let text = format!(
                "invalid package {}, channel {name}: duplicate entry {entry_name}",
                quote(&channel.package)
            );
            findings.push(
                Finding::new(&RULE, format!("channel {name} lists {entry_name} a second time"))
                    .at(context.value(channel.origin, format!("/entries/{index}/name")))
                    .about(Subject::entry(&channel.package, &channel.name, &entry.name))
                    .label("listed before")
                    .related(
                        context.value(channel.origin, format!("/entries/{first_index}/name")),
                        "listed first",
                    )
                    .fix(
                        Fix::safe_if(first == entry, "remove the second entry")
                            .remove(channel.origin, format!("/entries/{index}")),
                    )
                    .help("merge the two entries: one `replaces`, all `skips`")
                    .opm(conversion(Phase::Channels, number, 4, index, text)),
            );
        }
    }
}
