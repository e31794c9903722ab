//! Related images that are not image references.

use std::collections::HashSet;

use fbc_go::text::quote;
use fbc_model::image_reference;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::reference;
use crate::rules::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG002",
    name: "related-image",
    since: "0.1.0",
    summary: "A related image is not an image reference",
    explanation: "\
`relatedImages` names the images that a bundle needs, so that they can be mirrored. Each must be an image
reference: `registry/path:tag` or `registry/path@digest`.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "validateImagePullSpec",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "a reference",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
relatedImages:
- {name: a, image: quay.io/foo/foo:v1}
",
            findings: &[],
        },
        Case {
            title: "a space",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
relatedImages:
- {name: a, image: quay.io/foo/foo :v1}
",
            findings: &[
                "5:20 related image \"quay.io/foo/foo :v1\" is not an image reference: invalid reference format",
            ],
        },
        Case {
            title: "a scheme",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
relatedImages:
- {name: a, image: docker://quay.io/foo/foo:v1}
",
            findings: &[
                "5:20 related image \"docker://quay.io/foo/foo:v1\" is not an image reference: invalid reference format",
            ],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // The bundles of a package have most of their images in common.
    let mut good = HashSet::new();
    for item in opm::bundles(context) {
        for (index, related) in item.bundle.related_images.iter().enumerate() {
            let image = related.image.as_str();
            if image.is_empty() || good.contains(image) {
                continue;
            }
            let Err(error) = image_reference::parse(image) else {
                good.insert(image);
                continue;
            };
            let text = format!(
                "package {} bundle {} relatedImages[{index}].image: invalid image pull spec {}: {error}",
                quote(&item.bundle.package),
                quote(&item.bundle.name),
                quote(image)
            );
            findings.push(
                Finding::new(
                    &RULE,
                    format!("related image {} is not an image reference: {error}", quote(image)),
                )
                .at(context.value(item.bundle.origin, format!("/relatedImages/{index}/image")))
                .about(item.subject())
                .label("no image reference")
                .fix_if(reference::fix(item.bundle.origin, &format!("/relatedImages/{index}/image"), image))
                .help(reference::help(image))
                .opm(item.conversion(8, index, text)),
            );
        }
    }
}
