//! The cache of `opm serve --cache-only`, which the server of an image may be a real opm's to read.

use std::fs;
use std::io;
use std::path::Path;

use fbc_serve::registry::Registry;
use fbc_staging::{Root, remove_directory};

use super::cache_digest::digest;
use super::error::OpmError;
use crate::failure::words;

/// The files of the cache, and the file with the digest.
const FILES: &str = "cache";
const DIGEST: &str = "digest";

/// Writes the cache of a catalog into a directory that is empty or holds such a cache.
///
/// Of the formats that opm reads it is the older one, which has no database.
pub(super) fn write(catalog: &Path, directory: &str, registry: &Registry) -> Result<(), OpmError> {
    let failed =
        |error: io::Error| OpmError::Fatal(format!("mkdir {directory}: {}", words(&error).to_lowercase()));
    let root = Root::create(directory.as_ref()).map_err(failed)?;
    let found: Vec<String> = fs::read_dir(root.path())
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(failed)?
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if let Some(other) = found.iter().find(|name| ![FILES, DIGEST].contains(&name.as_str())) {
        return Err(OpmError::Fatal(format!(
            "failed to load or rebuild cache: cache directory has unexpected contents: {other}; fbc writes a cache into an \
             empty directory"
        )));
    }
    let files = root.path().join(FILES);
    if files.is_dir() {
        remove_directory(&files).map_err(failed)?;
    }
    root.create_directory(Path::new(FILES)).map_err(failed)?;
    for file in registry.cache_files() {
        if file.name.contains('/') {
            return Err(OpmError::Fatal(format!(
                "failed to load or rebuild cache: {:?} is not the name of a file: a package, channel or bundle has a slash in its \
                 name",
                file.name
            )));
        }
        root.write(&Path::new(FILES).join(&file.name), &file.bytes).map_err(failed)?;
    }
    let digest = digest(catalog, &files).map_err(failed)?;
    root.write(Path::new(DIGEST), digest.as_bytes()).map_err(failed)
}
