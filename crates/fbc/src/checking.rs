//! Catalogs that are loaded already, with what the rules find in them.

use std::path::Path;

use fbc_lint::{Policy, Profile, Report, Severity};
use fbc_model::Catalog;
use fbc_source::CatalogSource;

use crate::failure::Failure;
use crate::report::{CheckedCatalog, report_on_stderr};

/// Tells the errors of what was checked; true if it has none.
pub(crate) fn report_errors(checked: CheckedCatalog) -> Result<bool, Failure> {
    if checked.report.count(Severity::Error) == 0 {
        return Ok(true);
    }
    report_on_stderr(&[checked])?;
    Ok(false)
}

/// The refusal of a command that would do something with what is not valid.
pub(crate) fn not_valid(shown: &Path, verb: &str) -> Failure {
    Failure::refusal(format!("{} is not valid", shown.display())).help(all_the_same(verb))
}

/// The refusal of a part of a catalog that is not valid.
pub(crate) fn part_not_valid() -> Failure {
    Failure::refusal("what would be kept is not a valid catalog")
}

/// How a command is made to take what is not valid.
pub(crate) fn all_the_same(verb: &str) -> String {
    format!("fix what is wrong, or {verb} it all the same with --no-validate")
}

/// Checks a catalog that was loaded from the source, under a profile alone.
pub(crate) fn check_loaded(
    reference: &Path,
    source: CatalogSource,
    catalog: &Catalog,
    profile: Profile,
) -> CheckedCatalog {
    check_under(reference, source, catalog, &Policy::from(profile))
}

/// Checks a catalog that was loaded from the source.
pub(crate) fn check_under(
    reference: &Path,
    source: CatalogSource,
    catalog: &Catalog,
    policy: &Policy,
) -> CheckedCatalog {
    let report = fbc_lint::lint_under(catalog, source.tree.as_ref(), policy);
    checked(reference, source, catalog, report)
}

/// A catalog with what was found in it.
pub(crate) fn checked(
    reference: &Path,
    source: CatalogSource,
    catalog: &Catalog,
    report: Report,
) -> CheckedCatalog {
    CheckedCatalog {
        reference: reference.to_path_buf(),
        report,
        files: catalog.files.len(),
        packages: catalog.packages.len(),
        bundles: catalog.bundles.len(),
        source,
    }
}
