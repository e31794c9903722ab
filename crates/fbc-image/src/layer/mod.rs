//! Layers: a list of entries becomes a compressed tar archive that is the same on every machine.
//!
//! The archive is cut into members of one size, and each is compressed on its own, so that the bytes do not
//! depend on the number of threads. Concatenated gzip members are one gzip file (RFC 1952, section 2.2), and so are
//! frames of zstd (RFC 8878, section 3). Memory is bounded by a few members for each thread.

mod compress;
mod entry;
mod read;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use oci_spec::image::{Descriptor, Digest, MediaType};

pub use compress::Compression;
pub use entry::{Content, Entries, LayerEntry};
pub use read::Mislabeled;
pub(crate) use read::{LayerArchive, compression_of_bytes, open_layer, uncompressed};

use crate::blob::Hasher;
use crate::error::ImageError;
use crate::store::{BlobFolder, BlobWriter};
use compress::MemberWriter;

/// A layer that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The blob.
    pub descriptor: Descriptor,
    /// The digest of the archive without compression.
    pub diff_id: Digest,
    /// The bytes of the archive without compression.
    pub uncompressed_bytes: u64,
}

/// The mode of directories and of files that may be run.
const EXECUTABLE: u32 = 0o755;
/// The mode of all other files.
const PLAIN: u32 = 0o644;

/// Writes entries as a layer. All belong to root, and were changed at `modified`, in seconds since 1970.
///
/// # Errors
/// If a file cannot be read, changes while it is read, or the layer cannot be written.
pub fn write(
    entries: &Entries,
    modified: u64,
    compression: Compression,
    into: &BlobFolder,
) -> Result<Layer, ImageError> {
    let out = MemberWriter::new(into.begin()?, compression);
    let mut archive = tar::Builder::new(out);
    for (path, entry) in entries.iter() {
        append(&mut archive, path, entry, modified, into.root())?;
    }
    let failed = || ImageError::io("write to", into.root());
    let out = archive.into_inner().map_err(failed())?;
    let (blob, diff, uncompressed_bytes) = out.finish().map_err(failed())?;
    let (digest, size) = BlobWriter::finish(blob)?;
    let descriptor = Descriptor::new(compression.media_type(), size, digest);
    Ok(Layer { descriptor, diff_id: Hasher::finish(diff), uncompressed_bytes })
}

pub(crate) fn append<W: Write>(
    archive: &mut tar::Builder<W>,
    path: &Path,
    entry: &LayerEntry,
    modified: u64,
    target: &Path,
) -> Result<(), ImageError> {
    let mut header = tar::Header::new_gnu();
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(modified);
    header.set_size(0);
    let failed = || ImageError::io("write to", target);
    match entry {
        LayerEntry::Folder | LayerEntry::SharedFolder => {
            header.set_entry_type(tar::EntryType::Directory);
            header.set_mode(if *entry == LayerEntry::Folder { EXECUTABLE } else { 0o1777 });
            // Archives mark directories by a slash at the end.
            let path = path.join("");
            archive.append_data(&mut header, path, io::empty()).map_err(failed())
        }
        LayerEntry::Link(to) => {
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_mode(0o777);
            archive.append_link(&mut header, path, to).map_err(failed())
        }
        LayerEntry::File { content, is_executable } => {
            header.set_entry_type(tar::EntryType::Regular);
            header.set_mode(if *is_executable { EXECUTABLE } else { PLAIN });
            match content {
                Content::Bytes(bytes) => {
                    header.set_size(bytes.len() as u64);
                    archive.append_data(&mut header, path, bytes.as_slice()).map_err(failed())
                }
                Content::Disk { path: from, bytes } => {
                    header.set_size(*bytes);
                    let file = File::open(from).map_err(ImageError::io("read", from))?;
                    let mut counted = Counted { inner: file, read: 0, expected: *bytes };
                    let appended = archive.append_data(&mut header, path, &mut counted);
                    let is_read_error = counted.has_failed(&appended);
                    appended.map_err(|error| match is_read_error {
                        true => ImageError::io("read", from)(error),
                        false => failed()(error),
                    })
                }
            }
        }
    }
}

/// A file that must have as many bytes as were announced.
struct Counted {
    inner: File,
    read: u64,
    expected: u64,
}

const CHANGED: &str = "it changed while it was read";

impl Counted {
    fn has_failed(&self, outcome: &io::Result<()>) -> bool {
        outcome.is_err() && self.read != self.expected
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        if self.read > self.expected || (count == 0 && self.read < self.expected) {
            return Err(io::Error::other(CHANGED));
        }
        Ok(count)
    }
}

/// How the layers of a manifest are compressed; `None` for what is not a layer.
pub(crate) fn compression_of(media_type: &MediaType) -> Option<Option<Compression>> {
    match media_type {
        MediaType::ImageLayer | MediaType::ImageLayerNonDistributable => Some(None),
        MediaType::ImageLayerGzip | MediaType::ImageLayerNonDistributableGzip => {
            Some(Some(Compression::Gzip))
        }
        MediaType::ImageLayerZstd | MediaType::ImageLayerNonDistributableZstd => {
            Some(Some(Compression::Zstd))
        }
        MediaType::Other(name) => match name.as_str() {
            "application/vnd.docker.image.rootfs.diff.tar" => Some(None),
            "application/vnd.docker.image.rootfs.diff.tar.gzip"
            | "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip" => Some(Some(Compression::Gzip)),
            "application/vnd.docker.image.rootfs.diff.tar.zstd" => Some(Some(Compression::Zstd)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
