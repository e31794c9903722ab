//! Deprecations that name no package.

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::references::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP001",
    name: "deprecations-without-package",
    since: "0.1.0",
    summary: "A deprecations blob names no package",
    explanation: "\
Deprecations belong to a package: the one in `package` of the blob. Without it nobody sees them, and opm
refuses the catalog.

Add `package` with the name of the package.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-27", "4.1.3.4"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("without_package.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let blobs = context.catalog.deprecations.iter().enumerate();
    for (number, blob) in blobs.filter(|(_, blob)| blob.package.is_empty()) {
        let text = format!("package name must be set for deprecation item {number}");
        let beside =
            context.catalog.packages.iter().filter(|package| package.origin.file == blob.origin.file);
        let beside: Vec<&str> = beside.map(|package| package.name.as_str()).collect();
        let fix = match (beside.as_slice(), context.packages.keys().next()) {
            ([only], _) => Some((context.packages.len() == 1, *only)),
            (_, Some(only)) if context.packages.len() == 1 => Some((true, *only)),
            _ => None,
        };
        let fix = fix.map(|(is_safe, name)| {
            Fix::safe_if(is_safe, format!("add `package: {name}`")).set(blob.origin, "/package", name)
        });
        findings.push(
            Finding::new(&RULE, "deprecations without a package")
                .at(context.value(blob.origin, "/schema"))
                .label("needs `package`")
                .help("add `package` with the name of the package")
                .fix_if(fix)
                .opm(conversion(number, 0, 1, text)),
        );
    }
}
