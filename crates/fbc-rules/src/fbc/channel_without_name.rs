//! Channels without a name.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC015",
    name: "channel-without-name",
    since: "0.1.0",
    summary: "A channel has no name",
    explanation: "\
An `olm.channel` blob needs a name that is unique in its package: users follow channels by name, and
`defaultChannel` of the package names one.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("channel_without_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, channel) in context.catalog.channels.iter().enumerate() {
        if channel.name.is_empty() {
            let package = quote(&channel.package);
            findings.push(
                Finding::new(&RULE, format!("this channel of package {package} has no name"))
                    .at(context.value(channel.origin, "/name"))
                    .about(Subject::package(&channel.package))
                    .label("no name")
                    .help("add a `name`")
                    .fix_if(expected_name(context, &channel.package).map(|name| {
                        Fix::risky(format!("add `name: {name}`")).set(channel.origin, "/name", name)
                    }))
                    .opm(conversion(
                        Phase::Channels,
                        number,
                        2,
                        0,
                        format!("package {package} contains channel with no name"),
                    )),
            );
        }
    }
}

/// The default channel, if no channel has its name and only one has none.
fn expected_name<'c>(context: &Context<'c>, package: &str) -> Option<&'c str> {
    let catalog = context.catalog;
    let own = || catalog.channels.iter().filter(|channel| channel.package == package);
    let expected = catalog.packages.iter().find(|one| one.name == package)?.default_channel.as_str();
    let is_missing = !expected.is_empty() && own().all(|channel| channel.name != expected);
    (is_missing && own().filter(|channel| channel.name.is_empty()).count() == 1).then_some(expected)
}
