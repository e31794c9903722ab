//! What the repository around a catalog says of it: the template that it is generated from, the release that it is for.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_repository::release::of_directory;
use fbc_source::Error;
use fbc_source::confinement::repository_around;
use fbc_version::OpenShiftRelease;

use crate::settings::Settings;

/// Warns of a catalog that `fbc generate` makes from a template, and would make again without the edit.
pub(super) fn warn_of_generated(catalog: &Path, settings: &Settings) {
    let Some(template) = template_of(catalog, settings) else { return };
    settings.warn(
        Error::new(format!(
            "{} is generated: the next `fbc generate` makes it from its template again",
            catalog.display()
        ))
        .help(format!("add the bundle to the template instead: {} of the repository", template.display())),
    );
}

/// The template that the repository around a catalog has for it.
fn template_of(catalog: &Path, settings: &Settings) -> Option<PathBuf> {
    let root = repository_around(catalog)?;
    let catalog = fs::canonicalize(catalog).ok()?;
    let places = fbc_repository::find(settings.disk_tree(&root).as_ref()).ok()?.catalogs;
    let place = places.into_iter().find(|place| catalog.starts_with(root.join(&place.path)))?;
    Some(place.templates.first()?.path.clone())
}

/// The release of the closest directory that is named after one, up to the root of the repository.
pub(super) fn release_of(catalog: &Path) -> Option<OpenShiftRelease> {
    let root = repository_around(catalog)?;
    let catalog = fs::canonicalize(catalog).ok()?;
    let inside = catalog.ancestors().take_while(|path| *path != root);
    inside.filter_map(|path| of_directory(path.file_name()?.to_str()?)).next()
}
