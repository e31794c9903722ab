//! Bundles that do not fit.

use std::path::PathBuf;

use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::size;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND021",
    name: "bundle-size",
    since: "0.1.0",
    summary: "A bundle is larger than OLM can unpack",
    explanation: "\
OLM v0 unpacks a bundle into one ConfigMap. Each file is compressed with gzip and then written in base64, and all of
them together may have 1,048,576 bytes (1 MiB), the limit of a ConfigMap. Shorten the descriptions in
CustomResourceDefinitions, which is where the bytes are (`controller-gen crd:maxDescLen=0`), and take out examples and
pictures that are not needed. Before OLM 0.19 nothing was compressed, and the limit held for the files as they are;
OLM v1 splits a bundle over several objects, and has no such limit.",
    sources: &[
        Source::Code("operator-framework/api:pkg/validation/internal/bundle.go", "validateBundleSize"),
        Source::Code("operator-framework/operator-registry:pkg/configmap/configmap_writer.go", "Populate"),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("bundle_size.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(size) = size::packed(context).filter(|size| *size > size::MAX_PACKED) else { return };
    let message = format!(
        "the bundle has {} bytes packed, {} more than OLM unpacks ({})",
        size::grouped(size),
        size::grouped(size - size::MAX_PACKED),
        size::grouped(size::MAX_PACKED)
    );
    let place = Place { path: PathBuf::new(), origin: None, spot: Spot::File };
    findings.push(
        Finding::new(&RULE, message)
            .at(place)
            .about(context.subject())
            .note(size::largest(context))
            .help("generate definitions without descriptions: `controller-gen crd:maxDescLen=0`"),
    );
}
