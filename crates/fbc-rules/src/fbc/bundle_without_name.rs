//! Bundles without a name.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::VersionRelease;

use super::opm::{bundle_leaf, conversion, leaf_order, package_property};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC021",
    name: "bundle-without-name",
    since: "0.1.0",
    summary: "A bundle has no name",
    explanation: "\
Channels list bundles by name, so a bundle without one cannot be in any. The name is that of the
ClusterServiceVersion in the bundle, such as `foo.v1.0.0`.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Bundle.Validate"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_without_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, bundle) in context.catalog.bundles.iter().enumerate() {
        if !bundle.name.is_empty() {
            continue;
        }
        let package = quote(&bundle.package);
        let property = package_property(bundle).filter(|property| !property.version.is_empty());
        let fix = property.filter(|_| !bundle.package.is_empty()).map(|property| {
            let with_release = property.with_release().and_then(|(version, release)| {
                VersionRelease::new(version, release).normalized_bundle_name(&bundle.package)
            });
            let name = with_release.unwrap_or_else(|| format!("{}.v{}", bundle.package, property.version));
            Fix::risky(format!("add `name: {name}`")).set(bundle.origin, "/name", &name)
        });
        let mut finding = Finding::new(&RULE, format!("this bundle of package {package} has no name"))
            .at(context.value(bundle.origin, "/name"))
            .about(Subject::package(&bundle.package))
            .label("no name")
            .fix_if(fix)
            .help("add the `name` by which its channels list it");
        if let Some(view) = context.packages.get(bundle.package.as_str()) {
            let is_first = view.bundle_by_name.get("").is_some_and(|first| std::ptr::eq(*first, bundle));
            let is_listed = view
                .channels
                .iter()
                .any(|channel| channel.entries().iter().any(|entry| entry.name.is_empty()));
            finding = finding.opm(match (is_first, is_listed) {
                (false, _) => conversion(
                    Phase::Bundles,
                    number,
                    3,
                    0,
                    format!("package {package} has duplicate bundle \"\""),
                ),
                (true, false) => conversion(
                    Phase::Bundles,
                    number,
                    11,
                    0,
                    format!("package {package}, bundle \"\" not found in any channel entries"),
                ),
                (true, true) => bundle_leaf(view, "", leaf_order::NAME, "name must be set".to_owned()),
            });
        }
        findings.push(finding);
    }
}
