//! Releases of bundles for clusters that do not know them.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::OpenShiftRelease;
use fbc_version::openshift_release::in_words;

use super::opm;

/// The first release of OpenShift that knows `release`.
///
/// It ships operator-registry 1.62 and operator-controller 1.5, which know it first.
const FIRST_WITH_RELEASE: OpenShiftRelease = OpenShiftRelease::new(4, 22);

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC245",
    name: "release-for-target",
    since: "0.1.0",
    summary: "A bundle has a `release`, which a target does not know",
    explanation: "\
Before OpenShift 4.22, opm and both generations of OLM ignore `release` in the property `olm.package`: two bundles of one
version then are the same version to them, opm refuses the catalog, and nobody updates from one to the other. The rule is
silent until targets are named (`--ocp`). In the examples the target is OpenShift 4.17.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/property/property.go", "Package"),
        Source::Code(
            "openshift/operator-framework-olm:staging/operator-registry/alpha/property/property.go",
            "Package",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("release_for_target.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let (earlier, _) = context.parameters.split_targets(FIRST_WITH_RELEASE);
    if earlier.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        let Some(property) =
            opm::package_property(item.bundle).filter(|property| !property.release.is_empty())
        else {
            continue;
        };
        let message = format!(
            "bundle {} has the release {}, which {} does not know",
            quote(&item.bundle.name),
            quote(property.release),
            in_words(earlier)
        );
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, property.pointer("release")))
                .about(item.subject())
                .help("give the bundle a version of its own, such as 1.0.1"),
        );
    }
}
