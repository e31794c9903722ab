//! The cache of images: where it is, how much it holds, and whether it can be written.

use std::path::Path;

use fbc_registry::ImageCache;
use fbc_source::{Error, system_words as words};

use super::item::Item;
use crate::count::size;

pub(super) fn items(cache: Result<&ImageCache, &Error>) -> Vec<Item> {
    let images = match cache {
        Ok(images) => images,
        Err(error) => return vec![Item::from(error.clone())],
    };
    let folder = images.blobs().root();
    let mut items = Vec::new();
    match images.blobs().contents() {
        Ok(contents) => {
            let size = size(contents.bytes + contents.unfinished_bytes);
            items.push(Item::good(format!("{}: {} blobs, {size}", folder.display(), contents.blobs)));
        }
        Err(error) => items.push(Item::from(Error::from(error))),
    }
    items.extend(not_writable(folder));
    items
}

/// Whether the directory, or the nearest one above it that exists, takes files.
fn not_writable(folder: &Path) -> Option<Item> {
    let existing = folder.ancestors().find(|folder| folder.exists())?;
    let error = fbc_staging::StagedFile::within(existing).err()?;
    Some(Item::error(
        format!("{} cannot be written: {}", existing.display(), words(&error)),
        "name another directory by --cache-dir or FBC_CACHE_DIR",
    ))
}
