//! Deprecations of packages that do not exist.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::references::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP002",
    name: "deprecations-of-unknown-package",
    since: "0.1.0",
    summary: "A deprecations blob names a package that is not in the catalog",
    explanation: "\
The package of a deprecations blob must have an `olm.package` blob in the same catalog.

Correct the name. If the package was removed from the catalog, remove its deprecations too.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("unknown_package.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut suggestions = 0..names::MAX_SUGGESTIONS;
    for (number, blob) in context.catalog.deprecations.iter().enumerate() {
        let package = blob.package.as_str();
        if package.is_empty()
            || context.packages.contains_key(package)
            || context.lost.may_hold(schema::PACKAGE, package)
        {
            continue;
        }
        let name = quote(package);
        let meant = suggestions.next().and_then(|_| names::meant(package, context.packages.keys().copied()));
        let question = meant.map(|meant| format!("did you mean {}? ", quote(meant)));
        findings.push(
            Finding::new(&RULE, format!("deprecations of package {name}, which is not in the catalog"))
                .at(context.value(blob.origin, "/package"))
                .about(Subject::package(package))
                .label("no olm.package blob has this name")
                .help(format!("{}correct the name, or remove the blob", question.unwrap_or_default()))
                .fix_if(meant.map(|meant| {
                    Fix::risky(format!("write {}", quote(meant))).set(blob.origin, "/package", meant)
                }))
                .fix(Fix::risky("remove the deprecations").remove_document(blob.origin))
                .opm(conversion(
                    number,
                    0,
                    2,
                    format!("cannot apply deprecations to an unknown package {name}"),
                )),
        );
    }
}
