//! What the rules about the two forms of bundles share: which clusters want which.
//!
//! Source: `konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml`.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::policy::{OcpVersion, in_words};
use crate::rule::Rule;

use super::opm;

/// The first version of OpenShift whose catalogs describe bundles with `olm.csv.metadata`.
pub(super) const FIRST_WITH_METADATA: OcpVersion = OcpVersion::new(4, 17);

/// A finding for every bundle with a property that catalogs for these targets must not have.
pub(super) fn forbid(
    rule: &'static Rule,
    kind: &'static str,
    targets: &[OcpVersion],
    help: &str,
    context: &Context<'_>,
    findings: &mut Findings,
) {
    if targets.is_empty() {
        return;
    }
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
            .help(help),
        );
    }
}
