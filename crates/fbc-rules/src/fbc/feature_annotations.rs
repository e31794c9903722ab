//! Annotations that say what an operator can do.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC236",
    name: "feature-annotations",
    since: "0.1.0",
    summary: "A bundle does not say `\"true\"` or `\"false\"` in an annotation that it must have",
    explanation: "\
Release policies want every feature annotation answered with the text `\"true\"` or `\"false\"`. Consoles use
them as filters: an operator that does not say that it works disconnected is not found by those who need it.

The list is that of the profile; `required-features` in the configuration sets another. They stand in the
ClusterServiceVersion of the bundle; render the bundle image again after a change.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "feature_annotations_format")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("feature_annotations.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    if context.parameters.required_features.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        let Some(description) = context.manifests(item.number).and_then(|facts| facts.description.as_ref())
        else {
            continue;
        };
        for key in &context.parameters.required_features {
            let name = quote(&item.bundle.name);
            let (message, label) = match description.annotations.get(key).map(String::as_str) {
                Some("true" | "false") => continue,
                Some(value) => (
                    format!(
                        "annotation {} of bundle {name} is {}, neither \"true\" nor \"false\"",
                        quote(key),
                        quote(value)
                    ),
                    "neither",
                ),
                None => (format!("bundle {name} has no annotation {}", quote(key)), "not among these"),
            };
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(item.bundle.origin, description.annotation_place(key)))
                    .about(item.subject())
                    .label(label)
                    .help("answer it with \"true\" or \"false\" in the ClusterServiceVersion of the bundle"),
            );
        }
    }
}
