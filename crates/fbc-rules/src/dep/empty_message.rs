//! Deprecations without a message.

use std::collections::{BTreeSet, HashMap};

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::references::references;
use crate::grf::opm::{bundle_leaf, channel_leaf, leaf_order, package_leaf};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP010",
    name: "deprecation-without-message",
    since: "0.1.0",
    summary: "A deprecation has no message",
    explanation: "\
The message is all that a deprecation does: users see it in the console and in the status of what they
installed. Without one they learn nothing, so opm refuses it.

Say what is no longer supported, and what to use instead.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Deprecation.Validate"),
        Source::Statement("D-FBC-29", "4.1.3.4"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("empty_message.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    const TEXT: &str = "invalid deprecation: message must be set";
    let mut listed: HashMap<&str, HashMap<&str, BTreeSet<&str>>> = HashMap::new();
    for reference in references(context) {
        if reference.is_repeated || !reference.entry.message.is_empty() {
            continue;
        }
        let (package, name) = (reference.blob.package.as_str(), reference.entry.name.as_str());
        let (what, subject, opm) = match reference.entry.schema.as_str() {
            schema::PACKAGE => (
                format!("package {}", quote(package)),
                Subject::package(package),
                package_leaf(package, leaf_order::PACKAGE_DEPRECATION, TEXT),
            ),
            schema::CHANNEL => (
                format!("channel {} of package {}", quote(name), quote(package)),
                Subject::channel(package, name),
                channel_leaf(package, name, leaf_order::CHANNEL_DEPRECATION, TEXT),
            ),
            schema::BUNDLE => (
                format!("bundle {} of package {}", quote(name), quote(package)),
                Subject::bundle(package, name),
                {
                    let listed = listed.entry(package).or_insert_with(|| channels_of_bundles(reference.view));
                    let channels = listed.get(name).cloned().unwrap_or_default();
                    bundle_leaf(package, &channels, name, leaf_order::BUNDLE_DEPRECATION, TEXT)
                },
            ),
            _ => continue,
        };
        findings.push(
            Finding::new(&RULE, format!("the deprecation of {what} has no message"))
                .at(reference.place(context, "/message"))
                .about(subject)
                .label("needs `message`")
                .help("say what is no longer supported, and what to use instead")
                .opm(opm),
        );
    }
}

/// The names of the channels that list each bundle.
fn channels_of_bundles<'c>(view: &PackageView<'c>) -> HashMap<&'c str, BTreeSet<&'c str>> {
    let mut channels: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for channel in &view.channels {
        for entry in channel.entries() {
            channels.entry(&entry.name).or_default().insert(&channel.name);
        }
    }
    channels
}
