//! What is wrong with the Dockerfiles of a repository.

use std::path::Path;

use fbc_app::checked::CheckedCatalog;
use fbc_app::layout;
use fbc_lint::{Located, Policy, Report};
use fbc_repository::CatalogPlace;
use fbc_rules::lfc::{self, lost_by_dockerfile};
use fbc_source::CatalogSource;

use crate::failure::Failure;
use crate::settings::Settings;

/// The findings in the Dockerfiles of a repository; none for what is not one.
pub(super) fn check(
    path: &Path,
    policy: &Policy,
    settings: &Settings,
) -> Result<Vec<CheckedCatalog>, Failure> {
    let Some(severity) = policy.level(&lost_by_dockerfile::RULE) else { return Ok(Vec::new()) };
    if layout::catalogs_in(path, &settings.reading())?.is_none() {
        return Ok(Vec::new());
    }
    let copies_file = |catalog: &&CatalogPlace| path.join(&catalog.path).is_file();
    let catalogs = layout::find(settings.disk_tree(path).as_ref())?.catalogs;
    let mut checked = Vec::new();
    for catalog in catalogs.iter().filter(copies_file) {
        for image in &catalog.images {
            if image.release.is_none_or(|release| release < lfc::FIRST_RELEASE) {
                continue;
            }
            let mut finding = lost_by_dockerfile::finding(&catalog.path);
            finding.severity = severity;
            let located = Located::of_file(finding, Path::new(""));
            let reference = path.join(&image.path);
            checked.push(CheckedCatalog {
                source: CatalogSource::configuration(&reference),
                reference,
                report: Report { findings: vec![located], ..Report::default() },
                files: 0,
                packages: 0,
                bundles: 0,
            });
        }
    }
    Ok(checked)
}
