//! Images in ClusterServiceVersions from registries that are not allowed.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::policy::is_allowed;
use crate::rule::{Basis, Case, Check, Rule, Source};

use crate::rules::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG106",
    name: "csv-image-registry",
    since: "0.1.0",
    summary: "A ClusterServiceVersion names an image that is not from an allowed registry",
    explanation: "\
The same places as of IMG105, and the same registries as of IMG104: the list of the profile, or
`allowed-related-registries` in the configuration. Without a list the rule finds nothing.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "allowed_registries")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "a digest of an allowed registry",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value:
    annotations: 
      containerImage: registry.redhat.io/foo/foo@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
",
            findings: &[],
        },
        Case {
            title: "an annotation",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- type: olm.csv.metadata
  value:
    annotations: 
      containerImage: quay.io/foo/foo:v1
",
            findings: &["8:23 annotation \"containerImage\" of bundle \"foo.v1\" names image \"quay.io/foo/foo:v1\" which is not from an allowed registry"],
        },
        Case {
            title: "a whole manifest",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoib3BlcmF0b3JzLmNvcmVvcy5jb20vdjFhbHBoYTEiLCJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwibWV0YWRhdGEiOnsiYW5ub3RhdGlvbnMiOnsiY29udGFpbmVySW1hZ2UiOiJxdWF5LmlvL2Zvby9mb286djEifX0sInNwZWMiOnsiaW5zdGFsbCI6eyJzcGVjIjp7ImRlcGxveW1lbnRzIjpbeyJuYW1lIjoiZCIsInNwZWMiOnsidGVtcGxhdGUiOnsic3BlYyI6eyJjb250YWluZXJzIjpbeyJuYW1lIjoiYyIsImltYWdlIjoicmVnaXN0cnkucmVkaGF0LmlvL2Zvby9jQHNoYTI1NjowMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5YWJjZGVmIiwiZW52IjpbeyJuYW1lIjoiUkVMQVRFRF9JTUFHRV9YIiwidmFsdWUiOiJxdWF5LmlvL2Zvby94OnYyIn1dfV19fX19XX19fX0=}}
",
            findings: &["5:43 RELATED_IMAGE_X of container \"c\" of bundle \"foo.v1\" names image \"quay.io/foo/x:v2\" which is not from an allowed registry", "5:43 annotation \"containerImage\" of bundle \"foo.v1\" names image \"quay.io/foo/foo:v1\" which is not from an allowed registry"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let allowed = &context.parameters.allowed_related_registries;
    if allowed.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        let description = context.manifests(item.number).and_then(|facts| facts.description.as_ref());
        for used in description.into_iter().flat_map(|description| &description.images) {
            let image = used.image.as_str();
            if is_allowed(image, allowed) {
                continue;
            }
            let (name, image) = (quote(&item.bundle.name), quote(image));
            findings.push(
                Finding::new(
                    &RULE,
                    format!(
                        "{} of bundle {name} names image {image} which is not from an allowed registry",
                        used.at
                    ),
                )
                .at(context.value(item.bundle.origin, used.pointer.as_str()))
                .about(item.subject())
                .label("not allowed")
                .help(format!("allowed are {}", allowed.join(", "))),
            );
        }
    }
}
