//! Versions of bundles.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::fix::version::completed;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::Version;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC026",
    name: "bundle-version",
    since: "0.1.0",
    summary: "The version of a bundle is not a semantic version",
    explanation: "\
The version in the property `olm.package` is a strict semantic version: three numbers without leading
zeros, then optionally `-` with a prerelease and `+` with build metadata. No `v` before it, nothing left
out.

A prerelease is a sequence of identifiers with dots between: letters, digits and `-`, and numbers again
without leading zeros.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-33", "4.1.4.1"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_version.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let Some(property) = opm::package_property(item.bundle) else { continue };
        let version = property.version;
        let Err(error) = Version::parse(version) else { continue };
        let (name, quoted) = (quote(&item.bundle.name), quote(version));
        let message = if version.is_empty() {
            format!("bundle {name} has no version")
        } else {
            format!("{quoted} is not a semantic version: {error}")
        };
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, property.pointer("version")))
                .about(item.subject())
                .label("no semantic version")
                .help(help(version))
                .fix_if(completed(version).map(|meant| {
                    let pointer = property.pointer("version");
                    Fix::safe(format!("write {}", quote(&meant))).set(item.bundle.origin, pointer, &meant)
                }))
                .opm(item.conversion(9, 0, format!("error parsing bundle {name} version {quoted}: {error}"))),
        );
    }
}

fn help(version: &str) -> String {
    match completed(version) {
        Some(candidate) => format!("write {}", quote(&candidate)),
        None => "write three numbers with dots between, such as \"1.0.0\" or \"1.0.0-rc.1\"".to_owned(),
    }
}
