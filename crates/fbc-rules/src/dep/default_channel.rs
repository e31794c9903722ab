//! Default channels that are deprecated.

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
    code: "DEP012",
    name: "deprecated-default-channel",
    since: "0.1.0",
    summary: "The default channel is deprecated, and another one is not",
    explanation: "\
Who installs a package without naming a channel gets the default channel. If that is deprecated, every new
user begins with a warning, although there is a channel without one.

Make a channel that is not deprecated the default channel.",
    sources: &[
        Source::Advice("who names no channel gets the default channel"),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "getSubscriptionVariables",
        ),
        Source::Statement("D-FBC-26", "4.1.3.4"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("default_channel.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let deprecated: HashSet<(&str, &str)> = references(context)
        .filter(|reference| reference.entry.schema == schema::CHANNEL)
        .map(|reference| (reference.blob.package.as_str(), reference.entry.name.as_str()))
        .collect();
    for reference in references(context) {
        let default = reference.view.package.default_channel.as_str();
        let is_default = reference.entry.schema == schema::CHANNEL && reference.entry.name == default;
        if reference.is_repeated || !is_default || default.is_empty() {
            continue;
        }
        let package = reference.blob.package.as_str();
        let channels = reference.view.channels.iter().map(|channel| channel.name.as_str());
        let others: Vec<&str> =
            channels.filter(|channel| !deprecated.contains(&(package, *channel))).collect();
        if others.is_empty() {
            continue;
        }
        let names = name_list(others.iter().copied());
        let verb = if others.len() == 1 { "is not" } else { "are not" };
        findings.push(
            Finding::new(
                &RULE,
                format!(
                    "the default channel {} of package {} is deprecated, and {names} {verb}",
                    quote(default),
                    quote(package)
                ),
            )
            .at(reference.place(context, "/reference/name"))
            .about(Subject::channel(package, default))
            .label("what new users get")
            .help("make a channel that is not deprecated the default channel"),
        );
    }
}
