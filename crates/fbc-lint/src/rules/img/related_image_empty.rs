//! Related images without a reference.

use fbc_yaml::go_text::quote;

use crate::context::Context;
use crate::finding::Finding;
use crate::rule::{Basis, Case, Rule};

use crate::rules::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG101",
    name: "related-image-empty",
    summary: "An entry of `relatedImages` names no image",
    explanation: "\
The documented schema asks every entry of `relatedImages` for an `image`. An entry without one mirrors
nothing. Where it stands for an image that the operator needs, the operator breaks in a disconnected
cluster.",
    basis: Basis::Documents,
    check,
    cases: &[
        Case {
            title: "an image",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
relatedImages:
- {name: a, image: quay.io/foo/foo:v1}
",
            findings: &[],
        },
        Case {
            title: "none",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
relatedImages:
- {name: a}
- {name: b, image: \"\"}
",
            findings: &[
                "5:3 related image \"a\" of bundle \"foo.v1\" is empty",
                "6:20 related image \"b\" of bundle \"foo.v1\" is empty",
            ],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for item in opm::bundles(context) {
        for (index, related) in item.bundle.related_images.iter().enumerate() {
            if !related.image.is_empty() {
                continue;
            }
            let message = format!(
                "related image {} of bundle {} is empty",
                quote(&related.name),
                quote(&item.bundle.name)
            );
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(item.bundle.origin, format!("/relatedImages/{index}/image")))
                    .about(item.subject())
                    .label("no image")
                    .help("add the `image`, or remove the entry"),
            );
        }
    }
}
