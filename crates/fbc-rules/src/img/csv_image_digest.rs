//! Images in ClusterServiceVersions that are not named by digest.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG105",
    name: "csv-image-digest",
    since: "0.1.0",
    summary: "A ClusterServiceVersion names an image without a digest",
    explanation: "\
Release policies look for images in all places of a ClusterServiceVersion from which tools read them: annotations,
`spec.relatedImages`, containers of deployments, and variables that begin with `RELATED_IMAGE_`. Each must be
named by its digest. Of bundles with `olm.csv.metadata` the catalog holds the annotations alone.

In annotations, words count that begin with the name of a registry and have a tag or digest; `and/or` is no
image, though pipelines may take it for one. In `containerImage` the tag may be missing.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "unpinned_references")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("csv_image_digest.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let description = context.manifests(item.number).and_then(|facts| facts.description.as_ref());
        for used in description.into_iter().flat_map(|description| &description.images) {
            let image = used.image.as_str();
            if image.contains('@') {
                continue;
            }
            let (name, image) = (quote(&item.bundle.name), quote(image));
            findings.push(
                Finding::new(
                    &RULE,
                    format!("{} of bundle {name} names image {image} without a digest", used.at),
                )
                .at(context.value(item.bundle.origin, used.pointer.as_str()))
                .about(item.subject())
                .label("can be moved")
                .help("name the image by its digest: `registry/path@sha256:...`"),
            );
        }
    }
}
