//! Releases of bundles.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::{Release, ReleaseError};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC027",
    name: "bundle-release",
    since: "0.1.0",
    summary: "The release of a bundle has the wrong form",
    explanation: "\
The `release` in the property `olm.package` tells apart bundles of one version. It has at most 20
characters: identifiers with dots between, as in the prerelease of a semantic version. Identifiers are
letters, digits and `-`; numbers have no leading zeros.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/model/versionrelease.go",
        "NewRelease",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_release.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let Some(property) = opm::package_property(item.bundle) else { continue };
        let Err(error) = Release::parse(property.release) else { continue };
        let release = quote(property.release);
        let reason = reason(&error);
        let text =
            format!("error parsing bundle {} release version {release}: {error}", quote(&item.bundle.name));
        findings.push(
            Finding::new(&RULE, format!("{release} is not a valid release: {reason}"))
                .at(context.value(item.bundle.origin, property.pointer("release")))
                .about(item.subject())
                .label("no valid release")
                .help("use a number that grows by one, such as \"1\"")
                .fix_if(without_zeros(property.release).map(|meant| {
                    let pointer = property.pointer("release");
                    Fix::safe(format!("write {}", quote(&meant))).set(item.bundle.origin, pointer, &meant)
                }))
                .opm(item.conversion(10, 0, text)),
        );
    }
}

/// Why a text is not a release.
pub(crate) fn reason(error: &ReleaseError) -> String {
    match error {
        ReleaseError::TooLong(_) => "it has more than 20 characters".to_owned(),
        ReleaseError::Segments { segments, .. } => {
            let reasons: Vec<String> = segments.iter().map(|(_, reason)| reason.to_string()).collect();
            reasons.join("; ")
        }
    }
}

/// The release without leading zeros, if those are all that is wrong with it.
pub(crate) fn without_zeros(release: &str) -> Option<String> {
    let part = |part: &str| match part.trim_start_matches('0') {
        "" if !part.is_empty() => "0".to_owned(),
        rest if part.bytes().all(|byte| byte.is_ascii_digit()) => rest.to_owned(),
        _ => part.to_owned(),
    };
    let meant = release.split('.').map(part).collect::<Vec<_>>().join(".");
    (!release.is_empty() && meant != release && Release::parse(&meant).is_ok()).then_some(meant)
}
