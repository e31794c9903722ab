//! Directories without a blob.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC217",
    name: "empty-directory",
    since: "0.1.0",
    summary: "A directory of the catalog holds nothing",
    explanation: "\
By custom each package has a directory of its own. This directory holds no blob: files are missing or empty, or
the package was removed and its directory was not. A directory all of whose files `.indexignore` leaves out is
not reported.",
    sources: &[
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
            "extract-and-validate",
        ),
        Source::Statement("D-FBC-12", "4.1.2"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("empty_directory.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let catalog = context.catalog;
    let filled =
        catalog.files.iter().filter(|file| !file.documents.is_empty()).map(|file| file.path.as_path());
    let unreadable = catalog.faults.iter().map(|fault| fault.path.as_path());
    let ignored = catalog.ignored.iter().map(|path| path.as_path());
    let known: BTreeSet<&Path> =
        filled.chain(ignored).chain(unreadable).filter_map(first_component).collect();
    // A root that cannot be listed has a finding of its own.
    for entry in context.tree.list(Path::new("")).unwrap_or_default() {
        let name = entry.name.to_string_lossy();
        if !entry.is_directory || known.contains(entry.name.as_path()) || name.starts_with('.') {
            continue;
        }
        findings.push(
            Finding::new(&RULE, format!("directory {} holds no blob", quote(&name)))
                .at(Place { path: entry.name.clone(), origin: None, spot: Spot::File })
                .label("nothing in it")
                .help("remove it, or put the catalog of its package there"),
        );
    }
}

fn first_component(path: &Path) -> Option<&Path> {
    path.components().next().map(|component| Path::new(component.as_os_str()))
}
