//! Packages without a name.

use crate::context::Context;
use crate::finding::{Finding, Findings, Phase};
use crate::rule::{Basis, Case, Check, Rule};

use super::opm::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC011",
    name: "package-without-name",
    summary: "A package has no name",
    explanation: "\
An `olm.package` blob declares a package. Without a name, no channel and no bundle can belong to it.

Give it the name that its channels and bundles have as their `package`.",
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "a name",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
",
            findings: &[],
        },
        Case {
            title: "no name",
            files: "\
schema: olm.package
defaultChannel: stable
",
            findings: &["1:1 this package has no name"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, package) in context.catalog.packages.iter().enumerate() {
        if package.name.is_empty() {
            let text = "config contains package with no name".to_owned();
            findings.push(
                Finding::new(&RULE, "this package has no name")
                    .at(context.value(package.origin, "/name"))
                    .label("no name")
                    .help("add the `name` that its channels and bundles have as their `package`")
                    .opm(conversion(Phase::Packages, number, 1, 0, text)),
            );
        }
    }
}
