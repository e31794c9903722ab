//! Build metadata beside a release.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC031",
    name: "build-metadata-with-release",
    since: "0.1.0",
    summary: "A bundle has a release and build metadata in its version",
    explanation: "\
Build metadata (`+…` at the end of a version) was the old way to tell apart bundles of one version, and
`release` in the property `olm.package` is the new one. A bundle cannot have both.

Move what follows the `+` to `release`.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Bundle.Validate")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("build_metadata.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let Some(property) = opm::package_property(item.bundle) else { continue };
        let Some((version, _)) = property.with_release().filter(|(version, _)| !version.build().is_empty())
        else {
            continue;
        };
        let meant = version.without_build().to_string();
        let mut finding = Finding::new(
            &RULE,
            format!(
                "version {} has build metadata, and the bundle has a release as well",
                quote(property.version)
            ),
        )
        .at(context.value(item.bundle.origin, property.pointer("version")))
        .about(item.subject())
        .label("build metadata")
        .fix(Fix::risky("remove the build metadata").set(
            item.bundle.origin,
            property.pointer("version"),
            &meant,
        ))
        .help(format!("write the version as {}", quote(&meant)));
        if let Some(view) = item.view {
            let text = "cannot use build metadata in version with a release version".to_owned();
            finding =
                finding.opm(opm::bundle_leaf(view, &item.bundle.name, opm::leaf_order::BUILD_METADATA, text));
        }
        findings.push(finding);
    }
}
