//! Blobs in a directory, by their digests: `ALGORITHM/DIGITS`. A layout and the cache are made of one.
//!
//! A blob comes under its name only when it is whole and its digest is right, by renaming, so that several
//! processes may write to one directory and a killed one leaves no more than a temporary file.

mod download;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use fbc_staging::{Root, StagedFile, destination, parent_of};
use oci_spec::image::{Descriptor, Digest};

pub use download::Download;

use crate::blob::{Hasher, HashingWriter, VerifyingReader, digest_of, read_error};
use crate::error::ImageError;
use crate::image::ImageSource;

/// What unfinished downloads begin with, before their digest; staged files begin so as well, and no digest does.
pub(crate) const UNFINISHED: &str = ".fbc-";

/// The directories of blobs, with the digits of the digests in each.
const ALGORITHMS: [(&str, usize); 2] = [("sha256", 64), ("sha512", 128)];

/// A directory of blobs. It need not exist until something is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFolder {
    root: PathBuf,
    /// Whether nobody else may read the blobs.
    is_private: bool,
    /// Whether links on the way are trusted that a repository may hold.
    follows_links: bool,
}

/// How much a directory of blobs holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The number of blobs.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Temporary files that interrupted or running commands have left.
    pub unfinished: u64,
    /// The bytes of those.
    pub unfinished_bytes: u64,
}

/// A blob that is being written. Dropped before [`BlobWriter::finish`], it leaves nothing.
pub struct BlobWriter {
    folder: BlobFolder,
    out: HashingWriter<StagedFile>,
}

impl Write for BlobWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl BlobWriter {
    /// Puts the blob under its name: its digest, and its size in bytes.
    ///
    /// # Errors
    /// If the system does not take it.
    pub fn finish(self) -> Result<(Digest, u64), ImageError> {
        let HashingWriter { inner, hasher, written } = self.out;
        let digest = hasher.finish();
        let path = self.folder.path(&digest);
        inner.publish(&path).map_err(ImageError::io("write", &path))?;
        Ok((digest, written))
    }

    /// Puts the blob under its name, if it has the digest that somebody promised.
    ///
    /// # Errors
    /// If it has another one, or the system does not take it.
    pub fn finish_as(self, expected: &Digest) -> Result<(), ImageError> {
        let HashingWriter { inner, hasher, .. } = self.out;
        let found = hasher.finish();
        if found != *expected {
            return Err(ImageError::WrongDigest { what: "the blob", expected: expected.clone(), found });
        }
        let path = self.folder.path(&found);
        inner.publish(&path).map(drop).map_err(ImageError::io("write", &path))
    }

    /// The bytes so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.out.written
    }

    /// The directory that the blob goes to.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.folder.root()
    }
}

impl BlobFolder {
    /// A directory of blobs.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), is_private: false, follows_links: false }
    }

    /// A directory of blobs that nobody else may read: its directories get the mode 700, its files 600.
    pub fn private(root: impl Into<PathBuf>) -> Self {
        Self { is_private: true, ..Self::new(root) }
    }

    /// The same directory; with `follows_links` it may be one that a repository links to.
    #[must_use]
    pub fn following(self, follows_links: bool) -> Self {
        Self { follows_links, ..self }
    }

    /// Makes a directory of the directory. Whoever keeps their blobs elsewhere links to them; a link that leads out of a
    /// repository may be a stranger's.
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        match self.is_private {
            true => Root::create_private(path),
            false => destination(path, self.follows_links).and_then(|real| Root::create(&real)),
        }
        .map(drop)
    }

    fn stage(&self, directory: &Path) -> Result<StagedFile, ImageError> {
        let staged =
            if self.is_private { StagedFile::private(directory) } else { StagedFile::within(directory) };
        staged.map_err(ImageError::io("write to", directory))
    }

    /// Where it is.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of a blob.
    #[must_use]
    pub fn path(&self, digest: &Digest) -> PathBuf {
        self.root.join(digest.algorithm().as_ref()).join(digest.digest())
    }

    /// Begins a blob of which the digest is not known so far.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn begin(&self) -> Result<BlobWriter, ImageError> {
        self.begin_with(Hasher::default(), "sha256")
    }

    /// Begins a blob that is to have a digest.
    ///
    /// # Errors
    /// If the algorithm of the digest is not known, or the directory cannot be written.
    pub fn begin_as(&self, digest: &Digest) -> Result<BlobWriter, ImageError> {
        self.begin_with(Hasher::for_digest(digest)?, digest.algorithm().as_ref())
    }

    fn begin_with(&self, hasher: Hasher, algorithm: &str) -> Result<BlobWriter, ImageError> {
        let folder = self.root.join(algorithm);
        self.create_directory(&folder).map_err(ImageError::io("create", &folder))?;
        let file = self.stage(&folder)?;
        Ok(BlobWriter { folder: self.clone(), out: HashingWriter::new(file, hasher) })
    }

    /// Puts bytes in; what is there already is kept if it is whole.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn insert_bytes(&self, descriptor: &Descriptor, bytes: &[u8]) -> Result<(), ImageError> {
        self.insert(descriptor, || Ok(Box::new(bytes)))
    }

    /// Puts a blob in, which is opened only if it is not there whole already.
    ///
    /// # Errors
    /// If the content is not what the descriptor says, or the directory cannot be written.
    pub fn insert<'r>(
        &self,
        descriptor: &Descriptor,
        open: impl FnOnce() -> Result<Box<dyn Read + 'r>, ImageError>,
    ) -> Result<(), ImageError> {
        if self.holds(descriptor)? {
            return Ok(());
        }
        let digest = descriptor.digest();
        let mut writer = self.begin_as(digest)?;
        let mut reader = VerifyingReader::new(open()?, descriptor)?;
        let mut buffer = vec![0; 256 << 10];
        loop {
            let count = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(read_error(digest)(error)),
            };
            let bytes = buffer.get(..count).unwrap_or_default();
            writer.write_all(bytes).map_err(ImageError::io("write", &self.path(digest)))?;
        }
        writer.finish().map(|_| ())
    }

    /// Whether a blob is there with the right content. Its bytes are read for that.
    ///
    /// # Errors
    /// If it is there and cannot be read, or the algorithm of its digest is not known.
    pub fn holds(&self, descriptor: &Descriptor) -> Result<bool, ImageError> {
        Hasher::for_digest(descriptor.digest())?;
        let path = self.path(descriptor.digest());
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() && metadata.len() == descriptor.size() => {}
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(ImageError::io("read", &path)(error)),
        }
        let mut reader = self.open(descriptor)?;
        match io::copy(&mut reader, &mut io::sink()) {
            Ok(_) => Ok(reader.is_complete()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(false),
            Err(error) => Err(ImageError::io("read", &path)(error)),
        }
    }

    /// Opens a blob; reading fails unless it is what the descriptor says.
    ///
    /// # Errors
    /// If it is not there or cannot be read.
    pub fn open(&self, descriptor: &Descriptor) -> Result<VerifyingReader<File>, ImageError> {
        // Opening a pipe would wait for somebody who writes to it.
        let (path, _) = self.place(descriptor)?;
        let file = File::open(&path).map_err(ImageError::io("read", &path))?;
        VerifyingReader::new(file, descriptor)
    }

    /// Where a blob lies, as [`ImageSource::place`] tells it.
    ///
    /// # Errors
    /// If it is not there.
    pub fn place(&self, descriptor: &Descriptor) -> Result<(PathBuf, u64), ImageError> {
        let path = self.path(descriptor.digest());
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => Ok((path, 0)),
            Ok(_) => Err(ImageError::malformed(path.display().to_string(), "is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ImageError::MissingBlob {
                digest: descriptor.digest().clone(),
                place: self.root.display().to_string(),
            }),
            Err(error) => Err(ImageError::io("read", &path)(error)),
        }
    }

    /// Moves all blobs of another directory here, on the same file system.
    ///
    /// # Errors
    /// If the system does not rename a file.
    pub(crate) fn take_all(&self, other: &Self) -> Result<(), ImageError> {
        other.for_each(|entry, is_unfinished| {
            let path = entry.path();
            match path.strip_prefix(&other.root) {
                Ok(below) if !is_unfinished => {
                    let target = self.root.join(below);
                    self.create_directory(parent_of(&target))?;
                    fs::rename(&path, target)
                }
                _ => Ok(()),
            }
        })
    }

    /// Removes what killed processes have left half-written. What downloads go on with stays.
    pub fn remove_leftovers(&self) {
        ALGORITHMS.iter().for_each(|(name, _)| fbc_staging::remove_leftovers(&self.root.join(name)));
    }

    /// What the directory holds.
    ///
    /// # Errors
    /// If it cannot be read; one that does not exist is empty.
    pub fn contents(&self) -> Result<Contents, ImageError> {
        let mut contents = Contents::default();
        self.for_each(|entry, is_unfinished| {
            let bytes = entry.metadata()?.len();
            if is_unfinished {
                contents.unfinished += 1;
                contents.unfinished_bytes += bytes;
            } else {
                contents.blobs += 1;
                contents.bytes += bytes;
            }
            Ok(())
        })?;
        Ok(contents)
    }

    /// Removes all blobs, and what was left unfinished; what was removed.
    ///
    /// # Errors
    /// If the system does not remove a file.
    pub fn clean(&self) -> Result<Contents, ImageError> {
        let contents = self.contents()?;
        self.for_each(|entry, _| match fs::remove_file(entry.path()) {
            // Somebody else cleans too.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        })?;
        Ok(contents)
    }

    /// All blobs and temporary files; nothing else is touched, whatever lies in the directory.
    fn for_each(
        &self,
        mut visit: impl FnMut(&fs::DirEntry, bool) -> io::Result<()>,
    ) -> Result<(), ImageError> {
        for (algorithm, digits) in ALGORITHMS {
            let folder = self.root.join(algorithm);
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(ImageError::io("read", &folder))?,
            };
            for entry in entries {
                let entry = entry.map_err(ImageError::io("read", &folder))?;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_unfinished = name.starts_with(UNFINISHED);
                let is_blob = name.len() == digits && name.bytes().all(|byte| byte.is_ascii_hexdigit());
                if is_blob || is_unfinished {
                    visit(&entry, is_unfinished).map_err(ImageError::io("clean", &entry.path()))?;
                }
            }
        }
        Ok(())
    }
}

/// An image whose blobs lie in a directory.
#[derive(Clone, Debug)]
pub struct FolderImage {
    /// Where it begins.
    pub root: Descriptor,
    /// Its blobs.
    pub blobs: BlobFolder,
}

impl ImageSource for FolderImage {
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

/// Writes a file in one step: it is there with all its bytes or as it was.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
    let written = StagedFile::beside(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.publish(path)
    });
    written.map(drop).map_err(ImageError::io("write", path))
}

/// The descriptor of bytes.
pub(crate) fn descriptor_of(bytes: &[u8], media_type: oci_spec::image::MediaType) -> Descriptor {
    Descriptor::new(media_type, bytes.len() as u64, digest_of(bytes))
}

#[cfg(test)]
mod tests;
