//! Deprecations of channels that do not exist.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::references::references;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP007",
    name: "deprecation-of-unknown-channel",
    since: "0.1.0",
    summary: "A deprecation names a channel that the package does not have",
    explanation: "\
A deprecation of a channel names an `olm.channel` blob of the same package.

Correct the name. If the channel was removed from the catalog, remove its deprecation too.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("unknown_channel.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut suggestions = 0..names::MAX_SUGGESTIONS;
    for reference in references(context) {
        let name = reference.entry.name.as_str();
        let view = reference.view;
        let channels = view.channels.iter().map(|channel| channel.name.as_str());
        if reference.is_repeated
            || reference.entry.schema != schema::CHANNEL
            || channels.clone().any(|channel| channel == name)
            // opm puts an empty channel in place of a default channel that is missing.
            || (!name.is_empty() && view.package.default_channel == name)
            || (!name.is_empty() && context.lost.may_hold(schema::CHANNEL, name))
        {
            continue;
        }
        let (package, quoted) = (quote(&reference.blob.package), quote(name));
        let message = if name.is_empty() {
            format!("a deprecation of a channel of package {package} names no channel")
        } else {
            format!("the deprecated channel {quoted} is not in package {package}")
        };
        let text = format!("cannot deprecate channel {quoted} for package {package}: channel not found");
        let meant = suggestions.next().and_then(|_| names::meant(name, channels));
        let question = meant.map(|meant| format!("did you mean {}? ", quote(meant)));
        let (origin, number) = (reference.blob.origin, reference.number);
        let rename = meant.map(|meant| {
            let pointer = format!("/entries/{number}/reference/name");
            Fix::risky(format!("write {}", quote(meant))).set(origin, pointer, meant)
        });
        let remove = Fix::risky("remove the deprecation").remove(origin, format!("/entries/{number}"));
        findings.push(
            reference
                .refused(context, &RULE, 7, message, text)
                .label("no such channel")
                .fix_if(rename)
                .fix(remove)
                .help(format!("{}correct the name, or remove the entry", question.unwrap_or_default())),
        );
    }
}
