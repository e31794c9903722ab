//! Directories without the two directories of a bundle.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND001",
    name: "bundle-directory",
    since: "0.1.0",
    summary: "A bundle has no directory `manifests` or `metadata`",
    explanation: "\
A bundle of the format registry+v1 is a directory with two directories in it: `manifests` holds the Kubernetes objects, a
file for each, and `metadata` holds `annotations.yaml`. Both names are fixed. Name the directory that holds both.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:pkg/lib/bundle/validate.go",
        "ValidateBundleFormat",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("missing_directory.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for (folder, reason) in &context.contents.missing_directories {
        let name = quote(&folder.to_string_lossy());
        let place = Place { path: folder.clone(), origin: None, spot: Spot::File };
        findings.push(
            Finding::new(&RULE, format!("the bundle has no directory {name}: {}", words(reason)))
                .at(place)
                .about(context.subject())
                .help("name the directory that holds `manifests` and `metadata`"),
        );
    }
}

/// The words of the system, without its number.
fn words(reason: &str) -> &str {
    reason.split(" (os error").next().unwrap_or(reason)
}
