//! Paths in annotations that lead elsewhere.

use fbc_bundle::contents::{MANIFESTS, METADATA};
use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::annotation_keys::{MANIFESTS_PATH, METADATA_PATH};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND202",
    name: "annotation-path",
    since: "0.1.0",
    summary: "An annotation names another directory than the one that is there",
    explanation: "\
`manifests.v1` and `metadata.v1` must be `manifests/` and `metadata/`. OLM unpacks what they name in the labels
of the bundle image, which are made from these annotations; opm looks into the two directories whatever is
written. Another path leads to a bundle that renders and does not install.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:pkg/lib/bundle/validate.go",
            "validateAnnotations",
        ),
        Source::Code("operator-framework/operator-lifecycle-manager:util/cpb/main.go", "getMetadata"),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("annotation_path.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(annotations) = context.annotations else { return };
    for (key, folder) in [(MANIFESTS_PATH, MANIFESTS), (METADATA_PATH, METADATA)] {
        let Some(path) = annotations.node.get_str(key) else { continue };
        if path.strip_suffix('/').unwrap_or(path) == folder {
            continue;
        }
        let message = format!("annotation {} is {}, not \"{folder}/\"", quote(key), quote(path));
        findings.push(
            context
                .finding(&RULE, annotations.origin, pointer("/annotations", key), message)
                .help(format!("write `{folder}/`")),
        );
    }
}
