//! Hidden directories that are read as part of the catalog.

use std::collections::BTreeMap;
use std::path::Path;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, OpmText, Place, Spot};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::load::LoadFault;

use super::load_fault;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC033",
    name: "hidden-directory",
    since: "0.1.0",
    summary: "A hidden directory is read as part of the catalog",
    explanation: "\
opm reads every file below the directory of a catalog, also in hidden directories such as `.git` and whatever the
names of the files. What it finds there is not a catalog.

Validate the directory of the catalog rather than the root of the repository, or name the hidden directory in
`.indexignore`. A directory is reported once.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "walkFiles")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("hidden_directory.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut directories: BTreeMap<&Path, (&LoadFault, usize)> = BTreeMap::new();
    for fault in &context.catalog.faults {
        if let Some(directory) = load_fault::hidden_directory(fault) {
            directories.entry(directory).or_insert((fault, 0)).1 += 1;
        }
    }
    for (directory, (first, count)) in directories {
        let documents = if count == 1 { "a document" } else { "documents" };
        let message = format!(
            "hidden directory {} is read as part of the catalog and holds {documents} that cannot be loaded",
            quote(&directory.to_string_lossy())
        );
        let pattern = load_fault::ignore_pattern(&first.path);
        findings.push(
            Finding::new(&RULE, message)
                .at(Place { path: directory.to_path_buf(), origin: None, spot: Spot::File })
                .label("not part of a catalog")
                .note(match count {
                    1 => format!("it is in {}", first.path.display()),
                    _ => format!(
                        "{count} documents cannot be loaded; the first is in {}",
                        first.path.display()
                    ),
                })
                .help(format!(
                    "add the line `{pattern}` to an `.indexignore` file at the root of the catalog"
                ))
                .opm(OpmText::Load(first.message.clone())),
        );
    }
}
