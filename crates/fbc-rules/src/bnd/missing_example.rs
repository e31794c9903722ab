//! Custom resources without an example.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::embedded_json;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::examples;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND210",
    name: "missing-example",
    since: "0.1.0",
    summary: "An owned custom resource has no example",
    explanation: "\
Users of a console start a custom resource from the example in the annotation `alm-examples`; without one they get an
empty form. Add an example of each owned custom resource. Resources that only the operator itself makes belong into
the annotation `operators.operatorframework.io/internal-objects`, a JSON list of names; they need none.",
    sources: &[Source::Code("operator-framework/api:pkg/validation/internal/csv.go", "matchGVKProvidedAPIs")],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("missing_example.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let document = match examples::annotation(&csv) {
        // Examples that cannot be read are an error of their own.
        Some((_, text)) if !text.is_empty() => match embedded_json(text) {
            Ok(document) => Some(document),
            Err(_) => return,
        },
        _ => None,
    };
    let shown: BTreeSet<(&str, &str)> =
        document.iter().flat_map(|document| document.root().items()).map(examples::type_of).collect();
    let internal = csv.annotation("operators.operatorframework.io/internal-objects");
    let internal = internal.and_then(|text| embedded_json(text).ok());
    let is_internal = |name: &str| {
        internal.as_ref().is_some_and(|list| list.root().items().any(|item| item.as_str() == Some(name)))
    };
    for (number, owned) in csv.custom_resources("owned") {
        let Some(group) = owned.group() else { continue };
        let api_version = format!("{group}/{}", owned.version);
        if shown.contains(&(api_version.as_str(), owned.kind)) || is_internal(owned.name) {
            continue;
        }
        let message =
            format!("owned custom resource {} ({}) has no example", quote(owned.name), quote(owned.version));
        let pointer = format!("/spec/customresourcedefinitions/owned/{number}");
        findings.push(
            context
                .finding(&RULE, csv.origin(), pointer, message)
                .help(format!("add a {} of {api_version} to the annotation `alm-examples`", owned.kind)),
        );
    }
}
