//! Bundles of packages that do not exist.

use std::collections::BTreeMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Bundle;
use fbc_model::blob::schema;

use super::opm::{conversion, package_property, unknown_package_help};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC020",
    name: "bundle-package",
    since: "0.1.0",
    summary: "A bundle belongs to no package of the catalog",
    explanation: "\
The `package` of a bundle names an `olm.package` blob in the same catalog. There is none of that name.

Correct the name, or add the blob of the package. The bundles of one unknown package are reported
together.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_package.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // The first bundle of each unknown package, and how many there are.
    let mut strays: BTreeMap<&str, (usize, &Bundle, usize)> = BTreeMap::new();
    for (number, bundle) in context.catalog.bundles.iter().enumerate() {
        let package = bundle.package.as_str();
        if !package.is_empty() && !context.packages.contains_key(package) {
            strays.entry(package).or_insert((number, bundle, 0)).2 += 1;
        }
    }
    strays.retain(|package, _| !context.lost.may_hold(schema::PACKAGE, package));
    for (package, (number, bundle, count)) in strays {
        let (name, quoted) = (quote(&bundle.name), quote(package));
        let help = match package_property(bundle) {
            Some(property) if context.packages.contains_key(property.package_name) => {
                format!("its property `olm.package` says {}", quote(property.package_name))
            }
            _ => unknown_package_help(context, package),
        };
        let known = |package: &&str| context.packages.contains_key(*package);
        let meant = package_property(bundle).map(|property| property.package_name).filter(known);
        let meant = meant.or_else(|| names::meant(package, context.packages.keys().copied()));
        let fix = meant.map(|meant| {
            let of_package = context.catalog.bundles.iter().filter(|bundle| bundle.package == package);
            let fix = Fix::risky(format!("write `package: {meant}`"));
            of_package.fold(fix, |fix, bundle| fix.set(bundle.origin, "/package", meant))
        });
        let mut finding = Finding::new(
            &RULE,
            format!("bundle {name} is of package {quoted}, which the catalog does not have"),
        )
        .at(context.value(bundle.origin, "/package"))
        .about(Subject::bundle(package, &bundle.name))
        .label("no such package")
        .fix_if(fix)
        .help(help)
        .opm(conversion(
            Phase::Bundles,
            number,
            2,
            0,
            format!("unknown package {quoted} for bundle {name}"),
        ));
        if count > 1 {
            finding = finding.note(format!("so are {} more bundles", count - 1));
        }
        findings.push(finding);
    }
}
