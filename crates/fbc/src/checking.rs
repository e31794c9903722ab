//! Catalogs that are loaded already, with what the rules find in them.

use std::path::Path;

use fbc_lint::{Policy, Profile, Report};
use fbc_model::Catalog;
use fbc_source::CatalogSource;

use crate::report::CheckedCatalog;

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
