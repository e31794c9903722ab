//! Annotations that say what an operator can do.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "all of them",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value:
    annotations: 
      features.operators.openshift.io/disconnected: \"true\"
      features.operators.openshift.io/fips-compliant: \"true\"
      features.operators.openshift.io/proxy-aware: \"true\"
      features.operators.openshift.io/tls-profiles: \"true\"
      features.operators.openshift.io/token-auth-aws: \"true\"
      features.operators.openshift.io/token-auth-azure: \"true\"
      features.operators.openshift.io/token-auth-gcp: \"true\"
",
            findings: &[],
        },
        Case {
            title: "one that is neither, and six that are missing",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value:
    annotations: 
      features.operators.openshift.io/disconnected: \"yes\"
",
            findings: &[
                "8:7 bundle \"foo.v1\" has no annotation \"features.operators.openshift.io/fips-compliant\"",
                "8:7 bundle \"foo.v1\" has no annotation \"features.operators.openshift.io/proxy-aware\"",
                "8:7 bundle \"foo.v1\" has no annotation \"features.operators.openshift.io/tls-profiles\"",
                "8:7 bundle \"foo.v1\" has no annotation \"features.operators.openshift.io/token-auth-aws\"",
                "8:7 bundle \"foo.v1\" has no annotation \"features.operators.openshift.io/token-auth-azure\"",
                "8:7 bundle \"foo.v1\" has no annotation \"features.operators.openshift.io/token-auth-gcp\"",
                "8:53 annotation \"features.operators.openshift.io/disconnected\" of bundle \"foo.v1\" is \"yes\", neither \"true\" nor \"false\"",
            ],
        },
    ],
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
