//! Bundles with aggregated APIs.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

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
    cases: include_str!("owned_api_services.cases"),
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
