//! Default channels that do not exist.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::names::name_list;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::opm::{channel_leaf, leaf_order};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF008",
    name: "unknown-default-channel",
    since: "0.1.0",
    summary: "The default channel of a package does not exist",
    explanation: "\
`defaultChannel` must be the name of an `olm.channel` blob of the package. opm puts an empty channel of
that name in place of the missing one, and then complains that the channel contains no bundle.

Correct the name, or add the channel.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Channel.Validate"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("unknown_default_channel.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        let name = view.package.default_channel.as_str();
        if name.is_empty()
            || view.channels.iter().any(|channel| channel.name == name)
            || context.lost.may_hold(schema::CHANNEL, name)
        {
            continue;
        }
        let names = view.channels.iter().map(|channel| channel.name.as_str());
        let help = if view.channels.is_empty() {
            format!("add an olm.channel blob: package {} has none", quote(package))
        } else {
            let question = names::did_you_mean(name, names.clone());
            format!("{question}the package has {}", name_list(names.clone()))
        };
        let only = names.clone().next().filter(|_| view.channels.len() == 1);
        let fix = only.or_else(|| names::meant(name, names.clone())).map(|meant| {
            Fix::safe_if(only.is_some(), format!("write `defaultChannel: {meant}`")).set(
                view.package.origin,
                "/defaultChannel",
                meant,
            )
        });
        findings.push(
            Finding::new(
                &RULE,
                format!("the default channel {} of package {} does not exist", quote(name), quote(package)),
            )
            .at(context.value(view.package.origin, "/defaultChannel"))
            .about(Subject::channel(package, name))
            .label("no olm.channel blob has this name")
            .help(help)
            .fix_if(fix)
            .opm(channel_leaf(
                package,
                name,
                leaf_order::CHANNEL,
                "channel must contain at least one bundle",
            )),
        );
    }
}
