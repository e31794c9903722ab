//! Files that are part of the catalog against all appearance.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::lost::is_catalog_file;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;

use super::load_fault;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC216",
    name: "stray-file",
    since: "0.1.0",
    summary: "A file whose name is not that of a catalog file is part of the catalog",
    explanation: "\
opm reads every file below the directory of a catalog, whatever its name. This one is neither `.yaml`, `.yml`
nor `.json`, and what it holds happens to load: a note or a backup copy that became part of the catalog,
perhaps.

Rename it if it belongs to the catalog; else move it or name it in `.indexignore`.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "walkFiles"),
        Source::Statement("D-FBC-10", "4.1.2"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("stray_file.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, file) in context.catalog.files.iter().enumerate() {
        // Files that do not load are reported as such.
        let is_at_fault = || context.catalog.faults.iter().any(|fault| fault.path == file.path);
        if is_catalog_file(&file.path) || file.documents.is_empty() || is_at_fault() {
            continue;
        }
        let message = format!(
            "{} is read as part of the catalog, though its name does not look like it",
            quote(&file.path.to_string_lossy())
        );
        let place = Place {
            path: file.path.clone(),
            origin: Some(Origin { file: number as u32, document: 0 }),
            spot: Spot::File,
        };
        findings.push(Finding::new(&RULE, message).at(place).label("part of the catalog").help(format!(
            "rename it to `*.yaml`, or add the line `{}` to `.indexignore`",
            load_fault::ignore_pattern(&file.path)
        )));
    }
}
