//! Keys that an object gives twice.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::locate::Locator;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC201",
    name: "duplicate-key",
    since: "0.1.0",
    summary: "An object gives a key twice",
    explanation: "\
YAML and JSON forbid a key that an object gives twice. opm does not notice: the last one wins, and what
the first one held is gone.

Remove one of the two, or merge what they hold.",
    sources: &[
        Source::Advice("of two equal keys opm keeps the last"),
        Source::Code("kubernetes-sigs/yaml:yaml.go", "UnmarshalStrict"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("duplicate_key.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for file in &context.catalog.files {
        if !file.documents.iter().any(|document| document.has_duplicate_keys) {
            continue;
        }
        // A file that is gone by now has other problems.
        let Ok(bytes) = context.tree.read(&file.path) else { continue };
        for document in file.documents.iter().filter(|document| document.has_duplicate_keys) {
            let locator = Locator::new(&bytes, document.range.clone(), document.syntax);
            locator.duplicate_keys(|duplicate| {
                let message = format!("{} is given twice; the first value is lost", quote(duplicate.key));
                let place = |bytes| Place { path: file.path.clone(), origin: None, spot: Spot::Bytes(bytes) };
                findings.push(
                    Finding::new(&RULE, message)
                        .at(place(duplicate.last))
                        .related(place(duplicate.first), "the first value")
                        .label("given before")
                        .help("remove one of the two, or merge them"),
                );
            });
        }
    }
}
