//! The cache of images: where it is, how much it holds, and whether it can be written.

use std::path::Path;

use super::item::Item;
use crate::cache_folder::CacheArguments;
use crate::failure::{Failure, words};
use fbc_app::count::size;

pub(super) fn items(arguments: &CacheArguments) -> Vec<Item> {
    let images = match arguments.images() {
        Ok(images) => images,
        Err(failure) => return vec![Item::from(failure)],
    };
    let folder = images.blobs().root();
    let mut items = Vec::new();
    match images.blobs().contents() {
        Ok(contents) => {
            let size = size(contents.bytes + contents.unfinished_bytes);
            items.push(Item::good(format!("{}: {} blobs, {size}", folder.display(), contents.blobs)));
        }
        Err(error) => items.push(Item::from(Failure::from(error))),
    }
    items.extend(not_writable(folder));
    items
}

/// Whether the directory, or the nearest one above it that exists, takes files.
fn not_writable(folder: &Path) -> Option<Item> {
    let existing = folder.ancestors().find(|folder| folder.exists())?;
    let error = tempfile::tempfile_in(existing).err()?;
    Some(Item::error(
        format!("{} cannot be written: {}", existing.display(), words(&error)),
        "name another directory by --cache-dir or FBC_CACHE_DIR",
    ))
}
