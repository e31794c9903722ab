//! Catalog and bundle images: build, layouts and archives, registries, without a daemon.
//!
//! An image is content behind digests. [`ImageSource`] gives the descriptor of its root and the bytes of
//! its blobs; layouts, archives and whatever else holds images are sources. Blobs lie in a [`BlobFolder`],
//! which is the heart of a layout as well as of the cache. Everything read is checked against its digest.

pub mod blob;
pub mod build;
pub mod canonical;
mod error;
pub mod image;
pub mod layer;
pub mod layout;
pub mod limits;
pub mod reference;
pub mod store;
pub mod unpack;

#[cfg(test)]
mod testing;

pub use error::{EntryFault, ImageError};
pub use image::{Image, ImageSource};
pub use reference::{LocalReference, LocalReferenceError, Transport};
pub use store::{BlobFolder, FolderImage};
