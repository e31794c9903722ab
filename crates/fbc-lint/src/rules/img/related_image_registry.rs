//! Related images from registries that are not allowed.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::policy::is_allowed;
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::reference;
use crate::rules::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG104",
    name: "related-image-registry",
    since: "0.1.0",
    summary: "A related image is not from an allowed registry",
    explanation: "\
Release policies take images only from registries that customers may pull from. The list is that of the profile;
`allowed-related-registries` in the configuration sets another. Without a list the rule finds nothing. Bundles
with the property `olm.deprecated` are left alone, as in the pipeline, and so is the bundle image, of which
IMG102 speaks.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "allowed_registries_related")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "an allowed one",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
image: registry.redhat.io/foo/foo@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
relatedImages:
- name: operator
  image: registry.redhat.io/foo/operator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
",
            findings: &[],
        },
        Case {
            title: "another",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
image: registry.redhat.io/foo/foo@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
relatedImages:
- name: operator
  image: quay.io/foo/operator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
",
            findings: &["7:10 related image \"quay.io/foo/operator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\" of bundle \"foo.v1\" is not from an allowed registry"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let allowed = &context.parameters.allowed_related_registries;
    if allowed.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        for (index, image) in reference::related_images(item.bundle) {
            if is_allowed(image, allowed) {
                continue;
            }
            let (name, image) = (quote(&item.bundle.name), quote(image));
            findings.push(
                Finding::new(
                    &RULE,
                    format!("related image {image} of bundle {name} is not from an allowed registry"),
                )
                .at(context.value(item.bundle.origin, format!("/relatedImages/{index}/image")))
                .about(item.subject())
                .label("not allowed")
                .help(format!("allowed are {}", allowed.join(", "))),
            );
        }
    }
}
