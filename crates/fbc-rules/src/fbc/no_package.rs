//! Catalogs without packages.

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC233",
    name: "no-package",
    since: "0.1.0",
    summary: "The catalog has no package",
    explanation: "\
opm accepts an empty catalog. Whoever publishes one has named the wrong directory, or an `.indexignore` leaves out
too much.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("no_package.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // A package in a document that could not be loaded has a finding of its own.
    if context.catalog.packages.is_empty() && context.catalog.faults.is_empty() {
        findings.push(
            Finding::new(&RULE, "the catalog has no `olm.package`")
                .help("name the directory whose files declare packages"),
        );
    }
}
