//! OCI layout directories.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use oci_spec::image::Descriptor;

use super::{INDEX_FILE, LAYOUT_FILE, names};
use crate::error::ImageError;
use crate::image::ImageSource;
use crate::store::BlobFolder;

/// An image in an OCI layout directory.
#[derive(Debug)]
pub struct LayoutFolder {
    blobs: BlobFolder,
    root: Descriptor,
}

impl LayoutFolder {
    /// Opens the image of a name; without one, the only image.
    ///
    /// # Errors
    /// If the directory is not a layout, or does not hold the image.
    pub fn open(folder: &Path, name: Option<&str>) -> Result<Self, ImageError> {
        let place = folder.display().to_string();
        let read = |file: &str| {
            let path = folder.join(file);
            fbc_model::tree::read_file(&path).map_err(ImageError::io("read", &path))
        };
        if fs::metadata(folder).is_ok_and(|metadata| metadata.is_dir()) && !folder.join(LAYOUT_FILE).exists()
        {
            return Err(ImageError::NotALayout(place));
        }
        names::check_version(&read(LAYOUT_FILE)?, &place)?;
        let root = names::select(&read(INDEX_FILE)?, name, &place)?;
        Ok(Self { blobs: BlobFolder::new(folder.join("blobs")), root })
    }
}

impl ImageSource for LayoutFolder {
    fn root(&self) -> &Descriptor {
        &self.root
    }

    fn open(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + '_>, ImageError> {
        Ok(Box::new(self.blobs.open(descriptor)?))
    }

    fn place(&self, descriptor: &Descriptor) -> Result<Option<(PathBuf, u64)>, ImageError> {
        self.blobs.place(descriptor).map(Some)
    }
}
