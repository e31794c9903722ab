//! Bundles with aggregated APIs.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

use crate::rules::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM003",
    name: "owned-api-services",
    since: "0.1.0",
    summary: "A bundle provides an aggregated API, which OLM v1 refuses",
    explanation: "\
OLM v1 does not install APIServices: `unsupported bundle: apiServiceDefintions are not supported`.",
    sources: &[Source::Code(
        "operator-framework/operator-controller:internal/operator-controller/applier/provider.go",
        "",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "no API",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.csv.metadata, value: {}}
",
            findings: &[],
        },
        Case {
            title: "an API",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value:
    apiServiceDefinitions: {owned: [{name: v1.foo.io, group: foo.io, version: v1, kind: Foo}]}
",
            findings: &[
                "7:5 bundle \"foo.v1\" provides the aggregated API \"v1.foo.io\", which OLM v1 refuses",
            ],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let Some(description) = context.manifests(item.number).and_then(|facts| facts.description.as_ref())
        else {
            continue;
        };
        for api in &description.owned_api_services {
            let (name, api) = (quote(&item.bundle.name), quote(api));
            findings.push(
                Finding::new(
                    &RULE,
                    format!("bundle {name} provides the aggregated API {api}, which OLM v1 refuses"),
                )
                .at(context.value(item.bundle.origin, description.place()))
                .about(item.subject())
                .label("in this description")
                .help("provide custom resources instead, or keep to OLM v0"),
            );
        }
    }
}
