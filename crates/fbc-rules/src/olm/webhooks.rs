//! Bundles with webhooks in catalogs for clusters that take none.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::OpenShiftRelease;
use fbc_version::openshift_release::in_words;

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM004",
    name: "webhooks",
    since: "0.1.0",
    summary: "A bundle has webhooks, which OLM v1 refuses before OpenShift 4.21",
    explanation: "\
OLM v1 has installed the webhooks of bundles since OpenShift 4.21; before, it refuses them:
`webhookDefinitions are not supported`. The rule sees bundles whose manifests are in the catalog, and looks once
for each target.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/applier/provider.go",
            "",
        ),
        Source::Statement("D-EXT-1", "5.1.1"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("webhooks.cases"),
};

/// The first version of OpenShift whose OLM v1 installs webhooks.
const FIRST_WITH_WEBHOOKS: OpenShiftRelease = OpenShiftRelease::new(4, 21);

fn check(context: &Context<'_>, findings: &mut Findings) {
    let (earlier, _) = context.parameters.split_targets(FIRST_WITH_WEBHOOKS);
    if earlier.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        let description = context.manifests(item.number).and_then(|facts| facts.description.as_ref());
        let Some((description, whole)) =
            description.and_then(|description| Some((description, description.whole.as_ref()?)))
        else {
            continue;
        };
        if whole.webhooks.is_empty() {
            continue;
        }
        let webhooks: Vec<String> = whole.webhooks.iter().map(|webhook| quote(webhook)).collect();
        let message = format!(
            "bundle {} has the webhooks {}, which OLM v1 of {} refuses",
            quote(&item.bundle.name),
            webhooks.join(", "),
            in_words(earlier)
        );
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, description.place()))
                .about(item.subject())
                .label("in this manifest")
                .help("leave the bundle out of catalogs for these versions, or keep to OLM v0 there"),
        );
    }
}
