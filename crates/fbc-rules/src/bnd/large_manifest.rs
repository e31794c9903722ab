//! Manifests near the limits of a cluster.

use std::path::PathBuf;

use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;

use super::size;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND211",
    name: "large-manifest",
    since: "0.1.0",
    summary: "A manifest, or the bundle, is near a limit of the cluster",
    explanation: "\
An object in Kubernetes has 1,572,864 bytes (1.5 MiB) at most, the size of a request to etcd, and a ConfigMap 1,048,576
bytes (1 MiB). This rule reports each manifest above 1 MiB, and a bundle of which the packed form (gzip, then base64)
is above 85 percent of the 1,048,576 bytes that OLM v0 unpacks. `fbc explain BND021` says how to make it smaller.",
    sources: &[
        Source::Code("operator-framework/api:pkg/validation/internal/bundle.go", "validateBundleSize"),
        Source::Advice("etcd takes requests of 1.5 MiB unless it is told otherwise"),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("large_manifest.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for (number, file) in context.contents.files.iter().enumerate() {
        if file.size <= size::MAX_CONFIG_MAP {
            continue;
        }
        let message = format!(
            "the file has {} bytes; a cluster takes {} of an object, and {} of a ConfigMap",
            size::grouped(file.size),
            size::grouped(size::MAX_OBJECT),
            size::grouped(size::MAX_CONFIG_MAP)
        );
        let origin = Origin { file: number as u32, document: 0 };
        findings.push(
            Finding::new(&RULE, message)
                .at(context.place(origin, Spot::File))
                .about(context.subject())
                .help("shorten its descriptions, or split it"),
        );
    }
    let packed = size::packed(context).filter(|size| *size <= size::MAX_PACKED);
    let Some(size) = packed.filter(|size| *size > size::MAX_PACKED / 100 * 85) else { return };
    let message = format!(
        "the bundle has {} bytes packed, close to the {} that OLM unpacks",
        size::grouped(size),
        size::grouped(size::MAX_PACKED)
    );
    let place = Place { path: PathBuf::new(), origin: None, spot: Spot::File };
    findings.push(
        Finding::new(&RULE, message)
            .at(place)
            .about(context.subject())
            .note(size::largest(context))
            .help("shorten the descriptions in its definitions before it is too large"),
    );
}
