//! A blob on its way into a directory of blobs, which a later run takes up where this one stops.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use fbc_staging::{StagedFile, in_place, parent_of};
use oci_spec::image::Descriptor;

use super::{BlobFolder, UNFINISHED};
use crate::error::ImageError;

/// A blob that is being written under a temporary name; only whoever checked the bytes may finish it.
#[derive(Debug)]
pub struct Download {
    /// The bytes so far.
    pub file: File,
    temporary: Temporary,
    target: PathBuf,
}

/// Where the bytes are.
#[derive(Debug)]
enum Temporary {
    /// Under a name that follows from the digest; what is there stays for the next attempt.
    Shared(PathBuf),
    /// Under a name of its own, and gone with this if it is not finished.
    Own(StagedFile),
}

impl BlobFolder {
    /// Begins a blob, or goes on with what an earlier run left of it. Of several processes that want the same blob one
    /// goes on, the others begin for themselves.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn download(&self, descriptor: &Descriptor) -> Result<Download, ImageError> {
        let target = self.path(descriptor.digest());
        let folder = parent_of(&target);
        self.create_directory(folder).map_err(ImageError::io("create", folder))?;
        let shared = folder.join(format!("{UNFINISHED}{}", descriptor.digest().digest()));
        let failed = || ImageError::io("write", &shared);
        let mode = if self.is_private { 0o600 } else { 0o666 };
        let file = in_place::shared(&shared, mode).map_err(failed())?;
        match file.try_lock() {
            Ok(()) if is_at(&file, &shared).map_err(failed())? => {
                return Ok(Download { file, temporary: Temporary::Shared(shared), target });
            }
            // Another process has just given it its name, or works on it.
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(ImageError::io("lock", &shared)(error)),
        }
        let own = self.stage(folder)?;
        let file = own.as_file().and_then(File::try_clone).map_err(ImageError::io("write to", folder))?;
        Ok(Download { file, temporary: Temporary::Own(own), target })
    }
}

/// Whether the file is still the one of that name.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((ours.dev(), ours.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

impl Download {
    /// The file that the blob becomes.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the blob its name. Its bytes were checked.
    ///
    /// # Errors
    /// If the system does not rename it.
    pub fn finish(self) -> Result<(), ImageError> {
        let renamed = match self.temporary {
            Temporary::Shared(path) => fs::rename(path, &self.target),
            Temporary::Own(staged) => staged.publish(&self.target).map(drop),
        };
        renamed.map_err(ImageError::io("write", &self.target))
    }
}
