//! Bundles that name no package.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings, Phase, Subject};
use crate::fix::Fix;
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "a package",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
",
            findings: &[],
        },
        Case {
            title: "no package",
            files: "\
schema: olm.bundle
name: foo.v1
",
            findings: &["1:1 bundle \"foo.v1\" has no package"],
        },
        Case {
            title: "a property that names it",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.bundle
name: foo.v1.0.0
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
",
            findings: &["5:1 bundle \"foo.v1.0.0\" has no package"],
        },
    ],
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
