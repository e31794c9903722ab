//! Packages without channels.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::opm::{leaf_order, package_leaf};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF006",
    name: "package-without-channels",
    since: "0.1.0",
    summary: "A package has no channels",
    explanation: "\
Users install a package by way of its channels. A package blob alone, without at least one `olm.channel`
blob that names it in `package`, offers nothing.

Add a channel, and name it in `defaultChannel` of the package.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Package.Validate"),
        Source::Statement("D-FBC-16", "4.1.3"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("no_channels.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        // A default channel that does not exist counts as one for opm, and is refused as such.
        let has_default = !view.package.default_channel.is_empty();
        if !view.channels.is_empty() || has_default || context.lost.may_hold(schema::CHANNEL, package) {
            continue;
        }
        findings.push(
            Finding::new(&RULE, format!("package {} has no channels", quote(package)))
                .at(context.value(view.package.origin, "/name"))
                .about(Subject::package(package))
                .label("no olm.channel blob names it")
                .help("add an olm.channel blob, and name it in `defaultChannel`")
                .opm(package_leaf(
                    package,
                    leaf_order::CHANNELS,
                    "package must contain at least one channel",
                )),
        );
    }
}
