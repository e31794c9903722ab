//! Entries of channels without a name.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::ChannelEntry;

use super::missing_bundles;
use super::opm::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC017",
    name: "entry-without-name",
    since: "0.1.0",
    summary: "An entry of a channel has no name",
    explanation: "\
An entry of a channel stands for a bundle and has its name. An entry without one is usually a line with
a lonely `-`, or `replaces` that was meant to belong to the entry before.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Bundle.Validate")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("entry_without_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, channel) in context.catalog.channels.iter().enumerate() {
        let nameless = channel.entries().iter().enumerate().filter(|(_, entry)| entry.name.is_empty());
        for (before, (index, entry)) in nameless.enumerate() {
            let mut finding = Finding::new(
                &RULE,
                format!("entry {} of channel {} has no name", index + 1, quote(&channel.name)),
            )
            .at(context.value(channel.origin, format!("/entries/{index}")))
            .about(Subject::channel(&channel.package, &channel.name))
            .label("no name")
            .fix(
                Fix::safe_if(*entry == ChannelEntry::default(), "remove the entry")
                    .remove(channel.origin, format!("/entries/{index}")),
            )
            .help("add the `name` of a bundle, or remove the entry");
            let view = context.packages.get(channel.package.as_str());
            if before > 0 {
                let text = format!(
                    "invalid package {}, channel {}: duplicate entry \"\"",
                    quote(&channel.package),
                    quote(&channel.name)
                );
                finding = finding.opm(conversion(Phase::Channels, number, 4, index, text));
            } else if let Some(view) = view.filter(|view| !view.bundle_by_name.contains_key("")) {
                finding.opm = missing_bundles::opm_text(view, "");
            }
            findings.push(finding);
        }
    }
}
