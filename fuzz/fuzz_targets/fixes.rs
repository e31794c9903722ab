//! Any file as a catalog whose findings are all fixed: what comes out has no error that was not there before.
#![no_main]

use std::convert::Infallible;

use fbc_fuzz::directory;
use fbc_lint::comparison::only_new;
use fbc_lint::fix::{Safety, Source, fix_all};
use fbc_lint::{Policy, Report, Severity, load};
use fbc_model::tree::Tree;
use fbc_rules::{example, lint_under};
use libfuzzer_sys::fuzz_target;

fn judged(tree: &dyn Tree) -> (Box<dyn Source>, Report) {
    let catalog = load(tree);
    let report = lint_under(&catalog, tree, &Policy { with_fixes: true, ..example::policy() });
    (Box::new(catalog), report)
}

fuzz_target!(|text: &str| {
    let before = directory("catalog.yaml", text);
    let Ok(fixed) = fix_all::<Infallible>(&before, Safety::Unsafe, &|tree| Ok(judged(tree)));
    let Some(bytes) = fixed.files.values().next() else { return };
    let fixed = directory("catalog.yaml", std::str::from_utf8(bytes).expect("a text that was edited"));
    let added = only_new(judged(&fixed).1.findings, &judged(&before).1.findings);
    let error = added.iter().find(|located| located.finding.severity == Severity::Error);
    assert!(error.is_none(), "{:?}", error.map(|located| &located.finding));
});
