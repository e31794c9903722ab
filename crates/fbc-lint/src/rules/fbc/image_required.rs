//! Bundles with manifests, but without an image.

use fbc_model::bundle_object;
use fbc_yaml::go_text::quote;

use crate::context::Context;
use crate::finding::Finding;
use crate::rule::{Basis, Case, Rule};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC103",
    name: "image-required",
    summary: "A bundle has manifests, but no image",
    explanation: "\
The documented schema asks every bundle for an `image`. opm accepts a bundle without one if it carries its
manifests in properties `olm.bundle.object`. OLM v1 installs from the image alone, and tools that mirror
catalogs look for it.",
    basis: Basis::Documents,
    check,
    cases: &[
        Case {
            title: "an image",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.bundle.object, value: {data: e30=}}
image: quay.io/foo/foo:v1
",
            findings: &[],
        },
        Case {
            title: "none",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.bundle.object, value: {data: e30=}}
",
            findings: &["1:1 bundle \"foo.v1\" has manifests, but no image"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for item in opm::bundles(context) {
        let has_objects = || item.bundle.properties.iter().any(|p| p.kind == bundle_object::PROPERTY_TYPE);
        if !item.bundle.image.is_empty() || !has_objects() {
            continue;
        }
        let message = format!("bundle {} has manifests, but no image", quote(&item.bundle.name));
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, "/image"))
                .about(item.subject())
                .label("no image")
                .help("add the `image` that it was rendered from"),
        );
    }
}
