//! The annotation that names the subscriptions of an operator.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC237",
    name: "subscription-annotation",
    since: "0.1.0",
    summary: "The annotation of valid subscriptions is not a JSON list of texts",
    explanation: "\
`operators.openshift.io/valid-subscription` says which subscriptions cover an operator. Release policies want a
JSON list of texts in it that is not empty and names nothing twice. It stands in the ClusterServiceVersion of
the bundle.",
    sources: &[Source::Code(
        "conforma/policy:policy/release/olm/olm.rego",
        "subscriptions_annotation_format",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("subscription_annotation.cases"),
};

const ANNOTATION: &str = "operators.openshift.io/valid-subscription";

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let Some(description) = context.manifests(item.number).and_then(|facts| facts.description.as_ref())
        else {
            continue;
        };
        let (name, annotation) = (quote(&item.bundle.name), quote(ANNOTATION));
        let message = match description.annotations.get(ANNOTATION) {
            None => format!("bundle {name} has no annotation {annotation}"),
            Some(text) => match fault(text) {
                None => continue,
                Some(fault) => format!("annotation {annotation} of bundle {name} is {fault}"),
            },
        };
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, description.annotation_place(ANNOTATION)))
                .about(item.subject())
                .label("a JSON list of texts is asked for")
                .help("write it like '[\"OpenShift Container Platform\"]'"),
        );
    }
}

fn fault(text: &str) -> Option<String> {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else {
        return Some(format!("not JSON: {}", quote(text)));
    };
    let Some(items) = value.as_array() else { return Some(format!("not a list: {}", quote(text))) };
    if items.is_empty() {
        return Some("an empty list".to_owned());
    }
    let mut texts: Vec<&str> = items.iter().filter_map(serde_json::Value::as_str).collect();
    if texts.len() < items.len() {
        return Some(format!("a list that holds other things than texts: {}", quote(text)));
    }
    texts.sort_unstable();
    let twice = texts.windows(2).find(|pair| matches!(pair, [a, b] if a == b));
    twice.and_then(<[&str]>::first).map(|twice| format!("a list that names {} twice", quote(twice)))
}
