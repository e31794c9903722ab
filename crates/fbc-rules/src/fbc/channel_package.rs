//! Channels of packages that do not exist.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::opm::{conversion, unknown_package_help};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC014",
    name: "channel-package",
    since: "0.1.0",
    summary: "A channel belongs to no package of the catalog",
    explanation: "\
The `package` of a channel names an `olm.package` blob in the same catalog. There is none of that name,
or the channel names none.

Correct the name, or add the blob of the package. What else follows from the missing package, for the
bundles in the channel for instance, is not reported.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("channel_package.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, channel) in context.catalog.channels.iter().enumerate() {
        let package = channel.package.as_str();
        if context.packages.contains_key(package) || context.lost.may_hold(schema::PACKAGE, package) {
            continue;
        }
        let name = quote(&channel.name);
        let message = if package.is_empty() {
            format!("channel {name} has no package")
        } else {
            format!("channel {name} is of package {}, which the catalog does not have", quote(package))
        };
        let meant = match (package.is_empty(), context.packages.len()) {
            (true, 1) => context.packages.keys().next().copied(),
            (true, _) => None,
            (false, _) => names::meant(package, context.packages.keys().copied()),
        };
        let fix = meant.map(|meant| {
            Fix::risky(format!("write `package: {meant}`")).set(channel.origin, "/package", meant)
        });
        let text = format!("unknown package {} for channel {name}", quote(package));
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(channel.origin, "/package"))
                .about(Subject::channel(package, &channel.name))
                .label(if package.is_empty() { "no package" } else { "no such package" })
                .help(unknown_package_help(context, package))
                .fix_if(fix)
                .opm(conversion(Phase::Channels, number, 1, 0, text)),
        );
    }
}
