//! Bundles that name no package.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm::{conversion, package_property};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC019",
    name: "bundle-without-package",
    since: "0.1.0",
    summary: "A bundle names no package",
    explanation: "\
The `package` of an `olm.bundle` blob says to which package the bundle belongs. The property
`olm.package` repeats it.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_without_package.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, bundle) in context.catalog.bundles.iter().enumerate() {
        if bundle.package.is_empty() {
            let name = quote(&bundle.name);
            let help = match package_property(bundle) {
                Some(property) if !property.package_name.is_empty() => {
                    format!("add `package: {}`, as its property `olm.package` says", property.package_name)
                }
                _ => "add the `package` that it belongs to".to_owned(),
            };
            let named = package_property(bundle).map(|property| property.package_name);
            let fix =
                named.filter(|package| !package.is_empty()).map(|package| {
                    Fix::safe_if(context.packages.contains_key(package), format!("add `package: {package}`"))
                        .set(bundle.origin, "/package", package)
                });
            findings.push(
                Finding::new(&RULE, format!("bundle {name} has no package"))
                    .at(context.value(bundle.origin, "/package"))
                    .about(Subject::bundle("", &bundle.name))
                    .label("no package")
                    .fix_if(fix)
                    .help(help)
                    .opm(conversion(
                        Phase::Bundles,
                        number,
                        1,
                        0,
                        format!("package name must be set for bundle {name}"),
                    )),
            );
        }
    }
}
