//! Bundle images that are indexes.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

use crate::rules::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG308",
    name: "bundle-image-index",
    since: "0.1.0",
    summary: "The image of a bundle is an index of images for several platforms",
    explanation: "\
A bundle holds manifests and nothing that runs, so one image is enough for all platforms. Pipelines refuse an index: what its
digest names is not the image that was tested. `fbc validate --check-images` asks registries. In the examples `facts.json`
stands for the answers.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "olm_bundle_multi_arch")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "an image",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
image: registry.redhat.io/foo/foo:v1
-- facts.json --
{\"indexes\": [\"registry.redhat.io/foo/operator:v1\"]}
",
            findings: &[],
        },
        Case {
            title: "an index",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
image: registry.redhat.io/foo/foo:v1
-- facts.json --
{\"indexes\": [\"registry.redhat.io/foo/foo:v1\"]}
",
            findings: &["4:8 the image of bundle \"foo.v1\" is an index of images for several platforms"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context).filter(|item| context.images.indexes.contains(&item.bundle.image)) {
        let name = quote(&item.bundle.name);
        let message = format!("the image of bundle {name} is an index of images for several platforms");
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(item.bundle.origin, "/image"))
                .about(item.subject())
                .help("build the bundle for one platform, and name that image"),
        );
    }
}
