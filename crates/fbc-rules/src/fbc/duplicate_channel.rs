//! Channels that a package has twice.

use std::collections::HashMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::{Fix, Safety};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::{Channel, writer};

use super::opm::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC016",
    name: "duplicate-channel",
    since: "0.1.0",
    summary: "A package has two channels of one name",
    explanation: "\
All entries of a channel stand in one `olm.channel` blob. Blobs of the same name are not merged.

Move the entries of both into one, or rename one.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("duplicate_channel.cases"),
};

/// The entries of the second channel go into the first, but for those that it has.
fn join(first: &Channel, second: &Channel) -> Fix {
    let new = second.entries().iter().filter(|entry| !first.entries().contains(entry));
    let mut fix = Fix::safe("remove the second blob, which says the same");
    for entry in new {
        fix.title = "move the entries into the first blob".to_owned();
        fix.safety = Safety::Unsafe;
        fix = fix.append(first.origin, "/entries", writer::channel_entry(entry));
    }
    fix.remove_document(second.origin)
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut first_blobs: HashMap<(&str, &str), &Channel> = HashMap::new();
    for (number, channel) in context.catalog.channels.iter().enumerate() {
        let key = (channel.package.as_str(), channel.name.as_str());
        let first_blob = *first_blobs.entry(key).or_insert(channel);
        let first = first_blob.origin;
        if channel.name.is_empty() || first == channel.origin {
            continue;
        }
        let (package, name) = (quote(&channel.package), quote(&channel.name));
        let text = format!("package {package} has duplicate channel {name}");
        findings.push(
            Finding::new(&RULE, format!("package {package} has a second channel {name}"))
                .at(context.value(channel.origin, "/name"))
                .about(Subject::channel(&channel.package, &channel.name))
                .label("used before")
                .fix(join(first_blob, channel))
                .related(context.value(first, "/name"), "used first")
                .help("move the entries of both into one blob, or rename one of them")
                .opm(conversion(Phase::Channels, number, 3, 0, text)),
        );
    }
}
