//! Entries of channels that no bundle belongs to.

use std::collections::{BTreeMap, HashSet};

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::missing_bundles;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC029",
    name: "entry-without-bundle",
    since: "0.1.0",
    summary: "A channel lists a bundle that is not in the catalog",
    explanation: "\
Every entry of a channel has the name of an `olm.bundle` blob of the same package. Names in `replaces`
and `skips` need no bundle.

opm looks only at the last channel of a package when it searches for missing bundles. For other channels
it says instead that the bundle lacks its property `olm.package` and its image.

Render the missing bundle into the catalog, correct the name, or remove the entry from all channels.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-19", "4.1.3.2"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("entry_without_bundle.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // Bundles of unknown packages have a finding of their own, which comes first.
    let homeless =
        context.catalog.bundles.iter().filter(|b| !context.packages.contains_key(b.package.as_str()));
    let homeless: HashSet<&str> = homeless.map(|bundle| bundle.name.as_str()).collect();
    for (package, view) in &context.packages {
        // Each missing bundle once, with the channels and entries that name it.
        let mut missing: BTreeMap<&str, Vec<(&fbc_model::Channel, usize)>> = BTreeMap::new();
        for channel in &view.channels {
            for (index, entry) in channel.entries().iter().enumerate() {
                let name = entry.name.as_str();
                if !name.is_empty() && !view.bundle_by_name.contains_key(name) {
                    missing.entry(name).or_default().push((channel, index));
                }
            }
        }
        let mut texts = missing_bundles::OpmTexts::from_view(view);
        for (number, (name, places)) in missing.into_iter().enumerate() {
            let Some((channel, index)) = places.first().copied() else { continue };
            if homeless.contains(name) || context.lost.may_hold(schema::BUNDLE, name) {
                continue;
            }
            let listed: HashSet<&str> = if number < names::MAX_SUGGESTIONS {
                view.channels.iter().flat_map(|c| c.entries()).map(|entry| entry.name.as_str()).collect()
            } else {
                HashSet::new()
            };
            let unlisted = view.bundle_by_name.keys().copied().filter(|bundle| !listed.contains(bundle));
            let unlisted = unlisted.take(if listed.is_empty() { 0 } else { usize::MAX });
            let meant = names::meant(name, unlisted);
            let question = meant.map(|meant| format!("did you mean {}? ", quote(meant))).unwrap_or_default();
            let rename = meant.map(|meant| {
                let fix = Fix::risky(format!("write {}", quote(meant)));
                places.iter().fold(fix, |fix, (channel, index)| {
                    fix.set(channel.origin, format!("/entries/{index}/name"), meant)
                })
            });
            // From the back, so that the numbers of entries hold.
            let remove = places.iter().rev().fold(Fix::risky("remove the entry"), |fix, (channel, index)| {
                fix.remove(channel.origin, format!("/entries/{index}"))
            });
            let mut finding = Finding::new(
                &RULE,
                format!(
                    "channel {} lists {}, but package {} has no bundle of that name",
                    quote(&channel.name),
                    quote(name),
                    quote(package)
                ),
            )
            .at(context.value(channel.origin, format!("/entries/{index}/name")))
            .about(Subject::entry(package, &channel.name, name))
            .label("no such bundle")
            .fix_if(rename)
            .fix(remove)
            .help(format!("{question}add the bundle with `fbc render IMAGE`, or remove the entry"));
            finding.opm = texts.of_bundle(name);
            let others: Vec<String> =
                places.iter().skip(1).map(|(channel, _)| quote(&channel.name)).collect();
            if !others.is_empty() {
                finding = finding.note(format!("also listed in {}", others.join(", ")));
            }
            findings.push(finding);
        }
    }
}
