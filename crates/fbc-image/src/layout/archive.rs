//! Tar archives that are read by the names of their entries, and OCI layouts in them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use fbc_staging::StagedDirectory;
use oci_spec::image::{Descriptor, Digest};

use super::{INDEX_FILE, LAYOUT_FILE, names};
use crate::error::ImageError;
use crate::image::ImageSource;
use crate::layer::{compression_of_bytes, uncompressed};

/// Entries of an archive of images, at most.
const MAX_ENTRIES: usize = 100_000;
/// Bytes of the headers of an archive, at most: 256 MiB. The names in them are read whole.
const MAX_HEADER_BYTES: u64 = 256 << 20;
/// Bytes of a document in an archive, at most.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;
/// Bytes of a compressed archive without its compression: 64 GiB.
const MAX_PLAIN_BYTES: u64 = 64 << 30;
/// The name of an archive without its compression.
const PLAIN: &str = "plain.tar";
/// Links that lead to links, at most.
const MAX_LINKS: usize = 8;

/// A tar archive with an index of its entries.
#[derive(Debug)]
pub(super) struct ArchiveFile {
    path: PathBuf,
    /// Holds it without compression, as [`PLAIN`].
    plain: Option<StagedDirectory>,
    entries: BTreeMap<PathBuf, Entry>,
}

#[derive(Clone, Debug)]
enum Entry {
    File { position: u64, bytes: u64 },
    Link(PathBuf),
}

impl ArchiveFile {
    /// Opens an archive, also a compressed one, for which room for its plain form is needed.
    pub(super) fn open(path: &Path) -> Result<Self, ImageError> {
        let failed = || ImageError::io("read", path);
        // Opening a pipe would wait for somebody who writes to it.
        if !std::fs::metadata(path).map_err(failed())?.is_file() {
            return Err(ImageError::malformed(path.display().to_string(), "is not a regular file"));
        }
        let mut file = File::open(path).map_err(failed())?;
        let mut start = [0; 4];
        let count = file.read(&mut start).map_err(failed())?;
        file.seek(SeekFrom::Start(0)).map_err(failed())?;
        let plain = match compression_of_bytes(start.get(..count).unwrap_or_default()) {
            None => None,
            compression => {
                let place = std::env::temp_dir();
                let folder = StagedDirectory::scratch(&place).map_err(ImageError::io("write", &place))?;
                let mut plain =
                    folder.create_file(Path::new(PLAIN)).map_err(ImageError::io("write", &place))?;
                let mut archived = uncompressed(file, compression)?.take(MAX_PLAIN_BYTES);
                if io::copy(&mut archived, &mut plain).map_err(failed())? == MAX_PLAIN_BYTES {
                    let reason = "decompresses to 64 GiB or more; no archive of images is so large";
                    return Err(ImageError::malformed(path.display().to_string(), reason));
                }
                Some(folder)
            }
        };
        let mut archive = Self { path: path.to_path_buf(), plain, entries: BTreeMap::new() };
        archive.entries = archive.index()?;
        Ok(archive)
    }

    fn file(&self) -> Result<File, ImageError> {
        let path = self.on_disk();
        File::open(&path).map_err(ImageError::io("read", &path))
    }

    /// The archive without compression.
    fn on_disk(&self) -> PathBuf {
        self.plain.as_ref().map_or_else(|| self.path.clone(), |folder| folder.path().join(PLAIN))
    }

    fn index(&self) -> Result<BTreeMap<PathBuf, Entry>, ImageError> {
        let malformed = |source| ImageError::NotAnArchive { place: self.place(), source };
        let headers = Headers { file: BufReader::new(self.file()?), left: MAX_HEADER_BYTES };
        let mut archive = tar::Archive::new(headers);
        let mut entries = BTreeMap::new();
        for entry in archive.entries_with_seek().map_err(malformed)? {
            let entry = entry.map_err(malformed)?;
            let path = normal(&entry.path().map_err(malformed)?);
            let kind = entry.header().entry_type();
            let entry = if kind.is_file() {
                Entry::File { position: entry.raw_file_position(), bytes: entry.size() }
            } else if kind.is_symlink() || kind.is_hard_link() {
                let Some(to) = entry.link_name().map_err(malformed)? else { continue };
                let from = path.parent().filter(|_| kind.is_symlink()).unwrap_or(Path::new(""));
                Entry::Link(normal(&from.join(to)))
            } else {
                continue;
            };
            entries.insert(path, entry);
            if entries.len() > MAX_ENTRIES {
                let reason = format!("has more than {MAX_ENTRIES} entries; no archive of images has so many");
                return Err(ImageError::malformed(self.place(), reason));
            }
        }
        Ok(entries)
    }

    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// Where a file is in the archive, and its bytes.
    fn find(&self, name: &str) -> Option<(u64, u64)> {
        let mut path = normal(Path::new(name));
        for _ in 0..MAX_LINKS {
            match self.entries.get(&path)? {
                Entry::File { position, bytes } => return Some((*position, *bytes)),
                Entry::Link(to) => path = to.clone(),
            }
        }
        None
    }

    /// Opens a file of the archive; `None` if there is none of that name.
    pub(super) fn open_entry(&self, name: &str) -> Result<Option<io::Take<File>>, ImageError> {
        let Some((position, bytes)) = self.find(name) else { return Ok(None) };
        let mut file = self.file()?;
        file.seek(SeekFrom::Start(position)).map_err(ImageError::io("read", &self.path))?;
        Ok(Some(file.take(bytes)))
    }

    /// Where a file of the archive lies on disk; `None` if there is none of that name.
    pub(super) fn place_of(&self, name: &str) -> Option<(PathBuf, u64)> {
        let (position, _) = self.find(name)?;
        Some((self.on_disk(), position))
    }

    /// The bytes of a document.
    pub(super) fn document(&self, name: &str) -> Result<Option<Vec<u8>>, ImageError> {
        let Some(entry) = self.open_entry(name)? else { return Ok(None) };
        if entry.limit() > MAX_DOCUMENT_BYTES {
            let reason = format!("{name} has more than {MAX_DOCUMENT_BYTES} bytes");
            return Err(ImageError::malformed(self.place(), reason));
        }
        let mut bytes = Vec::new();
        { entry }.read_to_end(&mut bytes).map_err(ImageError::io("read", &self.path))?;
        Ok(Some(bytes))
    }
}

/// What is read of an archive while its entries are looked for: headers, since contents are skipped by seeking.
struct Headers {
    file: BufReader<File>,
    /// Bytes that may still be read.
    left: u64,
}

impl Read for Headers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            io::Error::other(format!("its headers have more than {} MiB", MAX_HEADER_BYTES >> 20))
        })?;
        Ok(count)
    }
}

impl Seek for Headers {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A path by its names alone.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => {
                normal.pop();
            }
            _ => {}
        }
    }
    normal
}

/// An image in a tar archive of an OCI layout.
#[derive(Debug)]
pub struct LayoutArchive {
    archive: ArchiveFile,
    root: Descriptor,
}

impl LayoutArchive {
    /// Opens the image of a name; without one, the only image.
    ///
    /// # Errors
    /// If the file is not an archive of a layout, or does not hold the image.
    pub fn open(path: &Path, name: Option<&str>) -> Result<Self, ImageError> {
        let archive = ArchiveFile::open(path)?;
        let place = archive.place();
        let missing = |file: &str| {
            ImageError::malformed(
                place.clone(),
                format!("is not an archive of an OCI layout: it has no file {file}"),
            )
        };
        names::check_version(&archive.document(LAYOUT_FILE)?.ok_or_else(|| missing(LAYOUT_FILE))?, &place)?;
        let index = archive.document(INDEX_FILE)?.ok_or_else(|| missing(INDEX_FILE))?;
        let root = names::select(&index, name, &place)?;
        Ok(Self { archive, root })
    }
}

/// The name of a blob in a layout.
fn blob_name(digest: &Digest) -> String {
    format!("blobs/{}/{}", digest.algorithm(), digest.digest())
}

impl LayoutArchive {
    fn missing(&self, descriptor: &Descriptor) -> ImageError {
        ImageError::MissingBlob { digest: descriptor.digest().clone(), place: self.archive.place() }
    }
}

impl ImageSource for LayoutArchive {
    fn root(&self) -> &Descriptor {
        &self.root
    }

    fn open(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + '_>, ImageError> {
        match self.archive.open_entry(&blob_name(descriptor.digest()))? {
            Some(entry) => Ok(Box::new(entry)),
            None => Err(self.missing(descriptor)),
        }
    }

    fn place(&self, descriptor: &Descriptor) -> Result<Option<(PathBuf, u64)>, ImageError> {
        let place = self.archive.place_of(&blob_name(descriptor.digest()));
        place.map(Some).ok_or_else(|| self.missing(descriptor))
    }
}
