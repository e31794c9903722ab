//! What is wrong with the Dockerfiles of a repository.

use std::path::Path;

use fbc_app::checked::CheckedCatalog;
use fbc_app::layout;
use fbc_lint::finding::Finding;
use fbc_lint::{Located, Policy, Report};
use fbc_repository::{ImageFile, Note};
use fbc_rules::fbc::releases_in_one_image;
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
    let is_wanted = [&lost_by_dockerfile::RULE, &releases_in_one_image::RULE].map(|rule| policy.level(rule));
    if is_wanted.iter().all(Option::is_none) || layout::catalogs_in(path, &settings.reading())?.is_none() {
        return Ok(Vec::new());
    }
    let found = layout::find(settings.disk_tree(path).as_ref())?;
    let mut findings: Vec<(&Path, Finding)> = Vec::new();
    for catalog in found.catalogs.iter().filter(|catalog| path.join(&catalog.path).is_file()) {
        let of_release =
            |image: &&ImageFile| image.release.is_some_and(|release| release >= lfc::FIRST_RELEASE);
        let images = catalog.images.iter().filter(of_release);
        findings
            .extend(images.map(|image| (image.path.as_path(), lost_by_dockerfile::finding(&catalog.path))));
    }
    for note in &found.notes {
        if let Note::SeveralReleases { dockerfile, releases } = note {
            findings.push((dockerfile, releases_in_one_image::finding(releases)));
        }
    }
    let checked = findings.into_iter().filter_map(|(dockerfile, mut finding)| {
        finding.severity = policy.level(finding.rule)?;
        let located = Located::of_file(finding, Path::new(""));
        let reference = path.join(dockerfile);
        Some(CheckedCatalog {
            source: CatalogSource::configuration(&reference),
            reference,
            report: Report { findings: vec![located], ..Report::default() },
            files: 0,
            packages: 0,
            bundles: 0,
        })
    });
    Ok(checked.collect())
}
