//! Bundles with several properties `olm.csv.metadata`.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Property;
use fbc_model::render::CSV_METADATA;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC205",
    name: "metadata-twice",
    since: "0.1.0",
    summary: "A bundle has several properties `olm.csv.metadata`",
    explanation: "\
The property `olm.csv.metadata` holds what a console shows of a bundle. opm validates a catalog in which a
bundle has two, and then cannot serve it: `expected at most 1 property of type \"olm.csv.metadata\"`.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:pkg/api/model_to_api.go",
        "parseProperties",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("metadata_twice.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let is_metadata = |property: &Property| property.kind == CSV_METADATA;
        let count = item.bundle.properties.iter().filter(|property| is_metadata(property)).count();
        let (Some(last), 2..) = (item.bundle.properties.iter().rposition(is_metadata), count) else {
            continue;
        };
        let message = format!(
            "bundle {} has {count} properties \"olm.csv.metadata\", which cannot be served",
            quote(&item.bundle.name)
        );
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, format!("/properties/{last}")))
                .about(item.subject())
                .label("one too many")
                .help("keep one of them"),
        );
    }
}
