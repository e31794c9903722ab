//! Bundles without an image.

use fbc_go::text::quote;
use fbc_model::bundle_object;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC032",
    name: "bundle-without-image",
    since: "0.1.0",
    summary: "A bundle has neither an image nor manifests",
    explanation: "\
The `image` of a bundle is what a cluster pulls to install it. Only a bundle that carries its manifests in
properties `olm.bundle.object` can do without.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Bundle.Validate")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "an image",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:v1.0.0
",
            findings: &[],
        },
        Case {
            title: "no image",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
",
            findings: &["5:1 bundle \"foo.v1.0.0\" has no image"],
        },
        Case {
            title: "an empty image",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: ''
",
            findings: &["8:8 bundle \"foo.v1.0.0\" has no image"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let bundle = item.bundle;
        let has_objects = || bundle.properties.iter().any(|p| p.kind == bundle_object::PROPERTY_TYPE);
        if !bundle.image.is_empty() || has_objects() {
            continue;
        }
        let mut finding = Finding::new(&RULE, format!("bundle {} has no image", quote(&bundle.name)))
            .at(context.value(bundle.origin, "/image"))
            .about(item.subject())
            .label("no image")
            .help("add the `image` that it was rendered from");
        if let Some(view) = item.view {
            let text = "bundle image must be set".to_owned();
            finding = finding.opm(opm::bundle_leaf(view, &bundle.name, opm::leaf_order::IMAGE, text));
        }
        findings.push(finding);
    }
}
