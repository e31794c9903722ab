//! Keys that are there twice.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::{Finding, Findings, Spot};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;
use fbc_yaml::locate::Locator;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND227",
    name: "manifest-duplicate-key",
    since: "0.1.0",
    summary: "A mapping of a bundle has a key twice",
    explanation: "\
Of two equal keys in a mapping the tools of Kubernetes take the last, or refuse the file: what stands under the first
is lost. Keep one of them.",
    sources: &[Source::Code("kubernetes-sigs/yaml:yaml.go", "UnmarshalStrict")],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("manifest_duplicate_key.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for (number, file) in context.contents.files.iter().enumerate() {
        let documents = file.documents.as_deref().unwrap_or_default();
        let Some(first) = documents.first() else { continue };
        if !first.object.as_ref().is_ok_and(|object| object.has_duplicate_keys()) {
            continue;
        }
        let Ok(bytes) = context.tree.read(&file.path) else { continue };
        let origin = Origin { file: number as u32, document: 0 };
        let locator = Locator::new(&bytes, first.range.clone(), first.syntax);
        locator.duplicate_keys(|duplicate| {
            findings.push(
                Finding::new(&RULE, format!("key {} is there twice", quote(duplicate.key)))
                    .at(context.place(origin, Spot::Bytes(duplicate.last)))
                    .about(context.subject())
                    .label("wins over the first")
                    .help("keep one of them"),
            );
        });
    }
}
