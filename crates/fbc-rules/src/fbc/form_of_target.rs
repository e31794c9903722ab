//! What the rules about the two forms of bundles share: which clusters want which.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::Rule;
use fbc_model::Bundle;
use fbc_version::OpenShiftRelease;
use fbc_version::openshift_release::in_words;

use super::opm;

/// The first version of OpenShift whose catalogs describe bundles with `olm.csv.metadata`.
pub(super) const FIRST_WITH_METADATA: OpenShiftRelease = OpenShiftRelease::new(4, 17);

/// What takes the property out of a bundle.
pub(super) type FixOfBundle = fn(&Bundle) -> Option<Fix>;

/// Fixes hold what takes the place of manifests, so only so many are worked out in one run.
pub(super) const MOST_FIXES: usize = 500;

/// A finding for every bundle with a property that catalogs for these targets must not have.
pub(super) fn forbid(
    rule: &'static Rule,
    kind: &'static str,
    targets: &[OpenShiftRelease],
    (help, fix): (&str, Option<FixOfBundle>),
    context: &Context<'_>,
    findings: &mut Findings,
) {
    if targets.is_empty() {
        return;
    }
    let mut fixes = 0..MOST_FIXES;
    for item in opm::bundles(context) {
        let Some(index) = item.bundle.properties.iter().position(|property| property.kind == kind) else {
            continue;
        };
        let (name, kind, targets) = (quote(&item.bundle.name), quote(kind), in_words(targets));
        findings.push(
            Finding::new(
                rule,
                format!("bundle {name} has {kind}, which catalogs for {targets} must not have"),
            )
            .at(context.value(item.bundle.origin, format!("/properties/{index}")))
            .about(item.subject())
            .label("the form of other clusters")
            .help(help)
            .fix_if(fix.filter(|_| fixes.next().is_some()).and_then(|fix| fix(item.bundle))),
        );
    }
}
