//! Packages without a name.

use std::collections::BTreeSet;

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC011",
    name: "package-without-name",
    since: "0.1.0",
    summary: "A package has no name",
    explanation: "\
An `olm.package` blob declares a package. Without a name, no channel and no bundle can belong to it.

Give it the name that its channels and bundles have as their `package`.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("package_without_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, package) in context.catalog.packages.iter().enumerate() {
        if package.name.is_empty() {
            let text = "config contains package with no name".to_owned();
            let beside =
                context.catalog.channels.iter().filter(|channel| channel.origin.file == package.origin.file);
            let unknown = beside.filter(|channel| !context.packages.contains_key(channel.package.as_str()));
            let names: BTreeSet<&str> = unknown.map(|channel| channel.package.as_str()).collect();
            let mut names = names.into_iter().filter(|name| !name.is_empty());
            let fix = names
                .next()
                .filter(|_| names.next().is_none())
                .map(|name| Fix::risky(format!("add `name: {name}`")).set(package.origin, "/name", name));
            findings.push(
                Finding::new(&RULE, "this package has no name")
                    .at(context.value(package.origin, "/name"))
                    .label("no name")
                    .fix_if(fix)
                    .help("add the `name` that its channels and bundles have as their `package`")
                    .opm(conversion(Phase::Packages, number, 1, 0, text)),
            );
        }
    }
}
