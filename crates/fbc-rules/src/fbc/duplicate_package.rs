//! Packages that are declared twice.

use std::collections::HashMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Package;

use super::opm::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC013",
    name: "duplicate-package",
    since: "0.1.0",
    summary: "A package is declared more than once",
    explanation: "\
Each package has exactly one `olm.package` blob in the whole catalog.

Two usual reasons: a package was copied and not renamed; or the directory is not a catalog but holds several,
for instance one for each OpenShift release. Validate each of those directories on its own.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-8", "4.1.1"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("duplicate_package.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut first_blobs: HashMap<&str, &Package> = HashMap::new();
    for (number, package) in context.catalog.packages.iter().enumerate() {
        let name = package.name.as_str();
        let first_blob = *first_blobs.entry(name).or_insert(package);
        let first = first_blob.origin;
        if name.is_empty() || first == package.origin {
            continue;
        }
        let is_equal = *package == Package { origin: package.origin, ..first_blob.clone() };
        let fix = Fix::safe_if(is_equal, "remove the second blob").remove_document(package.origin);
        let text = format!("duplicate package {}", quote(name));
        findings.push(
            Finding::new(&RULE, format!("package {} is declared a second time", quote(name)))
                .at(context.value(package.origin, "/name"))
                .about(Subject::package(name))
                .label("declared before")
                .fix(fix)
                .related(context.value(first, "/name"), "declared first")
                .help(
                    "remove one of the blobs; if the directory holds several catalogs, validate each of them on its own",
                )
                .opm(conversion(Phase::Packages, number, 2, 0, text)),
        );
    }
}
