//! Bundles that no channel lists.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::{Fix, object_value};
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC028",
    name: "bundle-in-no-channel",
    since: "0.1.0",
    summary: "No channel lists a bundle",
    explanation: "\
A bundle that is in no channel cannot be installed. opm refuses it, because a forgotten entry is far more
often the reason than intent.

Add an entry to a channel, with the edges that lead to it, or remove the blob of the bundle.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_in_no_channel.cases"),
};

/// An entry in the default channel, behind its head, where the bundle is newer than that.
fn next_head(view: &PackageView<'_>, name: &str) -> Option<Fix> {
    let default = view.package.default_channel.as_str();
    let graph = view.channel_graphs().find(|graph| graph.channel.name == default)?;
    let head = graph.name(graph.analysis.head()?);
    view.graph().compare(name, head).filter(|order| order.is_gt())?;
    let entry = object_value(&[("name", name), ("replaces", head)]);
    let fix = Fix::risky(format!("list it in channel {}, as the update of {}", quote(default), quote(head)));
    Some(fix.append(graph.channel.origin, "/entries", entry))
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    // Channels of unknown packages have a finding of their own, which comes first.
    let homeless =
        context.catalog.channels.iter().filter(|c| !context.packages.contains_key(c.package.as_str()));
    let homeless: HashSet<&str> =
        homeless.flat_map(|channel| channel.entries()).map(|entry| entry.name.as_str()).collect();
    let mut listed: BTreeMap<&str, HashSet<&str>> = BTreeMap::new();
    for (package, view) in &context.packages {
        let entries = view.channels.iter().flat_map(|channel| channel.entries());
        listed.insert(package, entries.map(|entry| entry.name.as_str()).collect());
    }
    // Entries without a bundle, which may be meant; by package, worked out where needed.
    let mut unused: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut suggestions = 0..names::MAX_SUGGESTIONS;
    for item in opm::bundles(context) {
        let (package, name) = (item.bundle.package.as_str(), item.bundle.name.as_str());
        let (Some(view), Some(listed)) = (item.view, listed.get(package)) else { continue };
        if name.is_empty()
            || listed.contains(name)
            || homeless.contains(name)
            || context.lost.may_hold(schema::CHANNEL, name)
        {
            continue;
        }
        let mut question = String::new();
        if suggestions.next().is_some() {
            let unused = unused.entry(package).or_insert_with(|| {
                listed.iter().copied().filter(|entry| !view.bundle_by_name.contains_key(entry)).collect()
            });
            question = names::did_you_mean(name, unused.iter().copied());
        }
        let fix = next_head(view, name);
        let (package, quoted) = (quote(package), quote(name));
        let text = format!("package {package}, bundle {quoted} not found in any channel entries");
        findings.push(
            Finding::new(&RULE, format!("no channel of package {package} lists bundle {quoted}"))
                .at(context.value(item.bundle.origin, "/name"))
                .about(item.subject())
                .label("in no channel")
                .fix_if(fix)
                .help(format!("{question}add an entry to the `entries` of a channel, or remove this blob"))
                .opm(item.conversion(11, 0, text)),
        );
    }
}
