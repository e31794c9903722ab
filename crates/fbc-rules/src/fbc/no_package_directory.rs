//! Catalogs that do not keep packages in directories.

use std::path::Path;

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC234",
    name: "no-package-directory",
    since: "0.1.0",
    summary: "The catalog has no directory for its packages",
    explanation: "\
Pipelines take the directories directly below the root of a catalog for its packages, and refuse a catalog without
any: `catalog/foo/catalog.yaml`, not `catalog/catalog.yaml`. This is about the directory that becomes the root
of the catalog image, usually `/configs`; do not name the directory of a package itself.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
        "extract-and-validate",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("no_package_directory.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // A root that cannot be listed has a finding of its own.
    let Ok(entries) = context.tree.list(Path::new("")) else { return };
    if !entries.iter().any(|entry| entry.is_directory && !entry.name.to_string_lossy().starts_with('.')) {
        findings.push(
            Finding::new(&RULE, "the catalog has no directory below its root").help(
                "put the files of each package into a directory of its own, and name the directory above",
            ),
        );
    }
}
