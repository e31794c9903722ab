//! Packages that name no default channel.

use std::collections::HashSet;

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;

use super::opm::{leaf_order, package_leaf};
use crate::fbc::odd_keys::{self, OddKey};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF007",
    name: "no-default-channel",
    since: "0.1.0",
    summary: "A package names no default channel",
    explanation: "\
Who installs a package without naming a channel gets its default channel, so every package needs one.

Set `defaultChannel` of the package to the name of the channel that most users should follow.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Package.Validate"),
        Source::Statement("D-FBC-18", "4.1.3.1"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("no_default_channel.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut misspelt = None;
    for (package, view) in context.packages.iter().filter(|(_, view)| view.package.default_channel.is_empty())
    {
        let origin = view.package.origin;
        // A second line beside a misspelt one would be one too many.
        let is_misspelt =
            misspelt.get_or_insert_with(|| misspelt_default_channels(context)).contains(&origin);
        findings.push(
            Finding::new(&RULE, format!("package {} names no default channel", quote(package)))
                .at(context.value(origin, "/name"))
                .about(Subject::package(package))
                .label("needs `defaultChannel`")
                .help(suggestion(view))
                .fix_if(suggested(view).filter(|_| !is_misspelt).map(|name| {
                    Fix::safe_if(view.channels.len() == 1, format!("add `defaultChannel: {name}`")).set(
                        origin,
                        "/defaultChannel",
                        name,
                    )
                }))
                .opm(package_leaf(package, leaf_order::DEFAULT_CHANNEL, "default channel must be set")),
        );
    }
}

/// The packages with a field that is most likely a misspelt `defaultChannel`.
fn misspelt_default_channels(context: &Context<'_>) -> HashSet<Origin> {
    let is_meant =
        |odd: &OddKey| names::meant(&odd.key, odd.fields.iter().copied()) == Some("defaultChannel");
    let blobs = odd_keys::blobs(context).into_iter();
    blobs.filter(|blob| blob.keys.iter().any(is_meant)).map(|blob| blob.origin).collect()
}

/// The only channel, or one named `stable`.
fn suggested<'c>(view: &PackageView<'c>) -> Option<&'c str> {
    let stable = view.channels.iter().find(|channel| channel.name == "stable");
    match (view.channels.as_slice(), stable) {
        ([only], _) | (_, Some(only)) => Some(&only.name),
        _ => None,
    }
}

fn suggestion(view: &PackageView<'_>) -> String {
    match suggested(view) {
        Some(name) => format!("add `defaultChannel: {name}`"),
        None => "set `defaultChannel` to the channel that most users should follow".to_owned(),
    }
}
