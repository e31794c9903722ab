//! `opm alpha bundle`: the metadata and images of bundles.
//!
//! Source: `operator-framework/operator-registry:cmd/opm/alpha/bundle`, `pkg/lib/bundle`.

use std::path::Path;

use fbc_yaml::stream;
use fbc_yaml::{Document, Kind};

mod build;
#[cfg(feature = "cluster")]
mod extract;
mod generate;
mod image;
mod package_folder;

pub(super) use build::build;
#[cfg(feature = "cluster")]
pub(super) use extract::extract;
pub(super) use generate::run as generate;
pub(super) use image::{unpack, validate};

/// The first document of a file, if it is a Kubernetes object: a mapping with a kind.
fn first_object(path: &Path) -> Option<Document> {
    let bytes = std::fs::read(path).ok()?;
    let only_objects = |document: Document| match document.root().kind() {
        Kind::Object => Ok(document),
        _ => Err(()),
    };
    let first = stream::read(&bytes, &only_objects).into_iter().next()?;
    first.outcome.ok().filter(|object| object.root().get_str("kind").is_some_and(|kind| !kind.is_empty()))
}

/// The files of a folder and the folders in it, by name. A folder that cannot be read has none.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
