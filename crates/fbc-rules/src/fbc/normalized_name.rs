//! Names of bundles that have a release.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::{Fix, rename};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::VersionRelease;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC030",
    name: "normalized-name",
    since: "0.1.0",
    summary: "The name of a bundle with a release is not made of package, version and release",
    explanation: "\
A bundle whose property `olm.package` has a `release` is named `<package>-v<version>-<release>`. Bundles
without a release may have any name.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/model/model.go",
        "Bundle.normalizeName",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("normalized_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let (name, package) = (item.bundle.name.as_str(), item.bundle.package.as_str());
        let release = opm::package_property(item.bundle).and_then(|property| property.with_release());
        let (Some(view), Some((version, release))) = (item.view, release) else { continue };
        let Some(wanted) = VersionRelease::new(version, release).normalized_bundle_name(package) else {
            continue;
        };
        if name.is_empty() || name == wanted {
            continue;
        }
        let fix = rename::bundle(Fix::risky("rename the bundle and all that name it"), view, name, &wanted);
        let (quoted, wanted) = (quote(name), quote(&wanted));
        let text = format!("name {quoted} does not match normalized name {wanted}");
        findings.push(
            Finding::new(&RULE, format!("bundle {quoted} has a release, so its name must be {wanted}"))
                .at(context.value(item.bundle.origin, "/name"))
                .about(item.subject())
                .label(format!("must be {wanted}"))
                .fix(fix)
                .help("rename it, here and in the entries of its channels; or remove the release")
                .opm(opm::bundle_leaf(view, name, opm::leaf_order::NORMALIZED_NAME, text)),
        );
    }
}
