//! Where new blobs go.

use std::path::{Path, PathBuf};

use crate::blob::Origin;
use crate::catalog::Catalog;
use crate::load;
use crate::tree::Tree;

/// The file of a package's deprecations, beside its other blobs (D-FBC-31).
pub const DEPRECATIONS_FILE: &str = "deprecations.yaml";

/// Behind the last bundle of the package; without one behind its last channel, or its package blob.
pub(super) fn of_bundle(catalog: &Catalog, package: &str) -> Option<Origin> {
    let bundles = catalog.bundles.iter().filter(|bundle| bundle.package == package);
    bundles.map(|bundle| bundle.origin).next_back().or_else(|| of_channel(catalog, package))
}

/// Behind the last channel of the package; without one behind its package blob.
pub(super) fn of_channel(catalog: &Catalog, package: &str) -> Option<Origin> {
    let channels = catalog.channels.iter().filter(|channel| channel.package == package);
    channels.map(|channel| channel.origin).next_back().or_else(|| of_package(catalog, package))
}

fn of_package(catalog: &Catalog, package: &str) -> Option<Origin> {
    catalog.packages.iter().find(|blob| blob.name == package).map(|blob| blob.origin)
}

/// Where the first deprecations of a package go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeprecationsPlace {
    /// A file that does not exist yet.
    NewFile(PathBuf),
    /// The end of the file of that number.
    EndOf(u32),
}

impl DeprecationsPlace {
    /// `deprecations.yaml` beside the blob of the package where the directory holds nothing else and the file
    /// would be loaded; else the file of the package. Nothing where the catalog has no such package. A
    /// catalog that is one file gets no others.
    #[must_use]
    pub fn of(catalog: &Catalog, tree: &dyn Tree, package: &str, is_one_file: bool) -> Option<Self> {
        let origin = of_package(catalog, package)?;
        let same_file = Self::EndOf(origin.file);
        let folder = catalog.file(origin)?.path.parent()?.to_path_buf();
        if is_one_file || !is_own_folder(catalog, &folder, package) {
            return Some(same_file);
        }
        let path = folder.join(DEPRECATIONS_FILE);
        if let Some(file) = catalog.files.iter().position(|file| file.path == path) {
            return Some(Self::EndOf(file as u32));
        }
        let exists = tree
            .list(&folder)
            .is_ok_and(|entries| entries.iter().any(|entry| entry.name == Path::new(DEPRECATIONS_FILE)));
        let is_free = !exists && !load::is_ignored(tree, &path);
        Some(if is_free { Self::NewFile(path) } else { same_file })
    }
}

/// Whether every blob below a directory belongs to the package.
fn is_own_folder(catalog: &Catalog, folder: &Path, package: &str) -> bool {
    let is_inside = |origin: Origin| catalog.file(origin).is_some_and(|file| file.path.starts_with(folder));
    let blobs = (catalog.packages.iter().map(|blob| (blob.origin, blob.name.as_str())))
        .chain(catalog.channels.iter().map(|blob| (blob.origin, blob.package.as_str())))
        .chain(catalog.bundles.iter().map(|blob| (blob.origin, blob.package.as_str())))
        .chain(catalog.deprecations.iter().map(|blob| (blob.origin, blob.package.as_str())))
        .chain(catalog.others.iter().map(|blob| (blob.origin, blob.meta.package.as_str())));
    let mut strangers = blobs.filter(|(_, of)| *of != package);
    !strangers.any(|(origin, _)| is_inside(origin))
}
