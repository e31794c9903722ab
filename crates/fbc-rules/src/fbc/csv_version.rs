//! Versions in ClusterServiceVersions.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::Version;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC235",
    name: "csv-semver",
    since: "0.1.0",
    summary: "The version in a ClusterServiceVersion is not a semantic version",
    explanation: "\
Release policies read `spec.version` of the ClusterServiceVersion, not the property `olm.package`, and refuse
what is not a semantic version. The rule sees bundles whose manifests are in the catalog.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "csv_semver_format")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("csv_version.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let Some(description) = context.manifests(item.number).and_then(|facts| facts.description.as_ref())
        else {
            continue;
        };
        let Some(whole) = &description.whole else { continue };
        let name = quote(&item.bundle.name);
        let message = match &whole.version {
            Some(version) if Version::parse(version).is_ok() => continue,
            Some(version) => format!(
                "`spec.version` in the ClusterServiceVersion of bundle {name} is not a semantic version: {}",
                quote(version)
            ),
            None => format!("the ClusterServiceVersion of bundle {name} has no `spec.version`"),
        };
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, description.place()))
                .about(item.subject())
                .label("in this manifest")
                .help("write three numbers with dots in between, such as 1.2.0, and build the bundle again"),
        );
    }
}
