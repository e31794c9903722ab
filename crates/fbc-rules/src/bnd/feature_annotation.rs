//! Annotations of OpenShift with values that mean nothing.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::{embedded_json, pointer};
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::{Kind, Node};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND224",
    name: "feature-annotation",
    since: "0.1.0",
    summary: "An annotation for OpenShift has a value that means nothing",
    explanation: "\
The annotations `features.operators.openshift.io/...` say what the operator supports: each is `\"true\"` or `\"false\"` and
nothing else. `operators.openshift.io/valid-subscription` and `operators.openshift.io/infrastructure-features` are JSON
lists of texts, `operatorframework.io/initialization-resource` and `operatorframework.io/suggested-namespace-template`
are JSON objects. Consoles and release policies leave out what they cannot read.",
    sources: &[
        Source::Code("conforma/policy:policy/release/olm/olm.rego", "feature_annotations_format"),
        Source::Code("conforma/policy:policy/release/olm/olm.rego", "subscriptions_annotation_format"),
        Source::Code(
            "openshift/console:frontend/packages/operator-lifecycle-manager/src/components/index.tsx",
            "parseALMExamples",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("feature_annotation.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    for (key, value) in csv.annotations() {
        let Some(text) = value.as_str() else { continue };
        let name = quote(key);
        let (message, help) = if key.starts_with("features.operators.openshift.io/") {
            if matches!(text, "true" | "false") {
                continue;
            }
            let message = format!("annotation {name} is {}, not \"true\" or \"false\"", quote(text));
            (message, "write `\"true\"` or `\"false\"`, with the quotes")
        } else if LISTS.contains(&key) {
            let document = embedded_json(text);
            let is_text = |item: Node<'_>| item.as_str().is_some_and(|text| !text.is_empty());
            if document
                .is_ok_and(|list| list.root().kind() == Kind::Array && list.root().items().all(is_text))
            {
                continue;
            }
            (
                format!("annotation {name} is not a JSON list of texts"),
                "write a list such as `'[\"a\", \"b\"]'`",
            )
        } else if OBJECTS.contains(&key) {
            if embedded_json(text).is_ok_and(|value| value.root().kind() == Kind::Object) {
                continue;
            }
            (format!("annotation {name} is not a JSON object"), "write one object as JSON")
        } else {
            continue;
        };
        let pointer = pointer("/metadata/annotations", key);
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    }
}

const LISTS: [&str; 4] = [
    "operators.openshift.io/valid-subscription",
    "operators.openshift.io/infrastructure-features",
    "operators.operatorframework.io/internal-objects",
    "console.openshift.io/plugins",
];
const OBJECTS: [&str; 2] =
    ["operatorframework.io/initialization-resource", "operatorframework.io/suggested-namespace-template"];
