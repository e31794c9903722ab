//! Bundles with webhooks in catalogs for clusters that take none.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::policy::{OcpVersion, in_words};
use crate::rule::{Basis, Case, Check, Rule, Source};

use crate::rules::fbc::opm;

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
    cases: &[
        Case {
            title: "no webhook",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoib3BlcmF0b3JzLmNvcmVvcy5jb20vdjFhbHBoYTEiLCJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwic3BlYyI6e319}}
",
            findings: &[],
        },
        Case {
            title: "a webhook, for OpenShift 4.17",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoib3BlcmF0b3JzLmNvcmVvcy5jb20vdjFhbHBoYTEiLCJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwic3BlYyI6eyJ3ZWJob29rZGVmaW5pdGlvbnMiOlt7ImdlbmVyYXRlTmFtZSI6InYuZm9vLmlvIn1dfX0=}}
",
            findings: &["5:43 bundle \"foo.v1\" has the webhooks \"v.foo.io\", which OLM v1 of OpenShift 4.17 refuses"],
        },
    ],
};

/// The first version of OpenShift whose OLM v1 installs webhooks.
const FIRST_WITH_WEBHOOKS: OcpVersion = OcpVersion::new(4, 21);

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
