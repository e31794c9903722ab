//! Bundles whose property names another package.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC025",
    name: "package-property-name",
    since: "0.1.0",
    summary: "A bundle and its property `olm.package` name different packages",
    explanation: "\
A bundle names its package twice: in `package`, and as `packageName` in its property `olm.package`. The
two must be the same.

When bundles are moved to another package, change both.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-33", "4.1.4.1"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("package_property_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let (Some(_), Some(property)) = (item.view, opm::package_property(item.bundle)) else { continue };
        if property.package_name == item.bundle.package {
            continue;
        }
        let (package, found) = (quote(&item.bundle.package), quote(property.package_name));
        let text = format!("package {package} does not match \"olm.package\" property {found}");
        findings.push(
            Finding::new(
                &RULE,
                format!(
                    "bundle {} is of package {package}, but its property \"olm.package\" names {found}",
                    quote(&item.bundle.name)
                ),
            )
            .at(context.value(item.bundle.origin, property.pointer("packageName")))
            .about(item.subject())
            .label(format!("not {package}"))
            .fix(Fix::risky(format!("write {package}")).set(
                item.bundle.origin,
                property.pointer("packageName"),
                &item.bundle.package,
            ))
            .help(format!("set `packageName` to {package}, or move the bundle to package {found}"))
            .opm(item.conversion(6, 0, text)),
        );
    }
}
