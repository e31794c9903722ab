//! The entries of a tar archive from a stranger: headers with their extensions, of limited size.
//!
//! Formats: POSIX ustar and pax (`pubs.opengroup.org`, utility pax), and GNU's long names.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use oci_spec::image::Digest;
use tar::{EntryType, GnuExtSparseHeader, GnuSparseHeader, Header};

use super::limits::Metered;
use super::sparse::{BrokenMap, MapPlace, SparseMap, SparseRecords, leading_map};
use crate::error::{EntryFault, ImageError};

const BLOCK: u64 = 512;
/// Bytes of an extended header, at most: 1 MiB.
const MAX_EXTENSION: u64 = 1 << 20;
/// Bytes of an entry, at most; with its padding they are still a number.
const MAX_SIZE: u64 = u64::MAX / 2;

/// An entry; its content follows in the archive.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) kind: EntryKind,
    pub(super) mode: u32,
    /// Seconds since 1970.
    pub(super) modified: u64,
}

#[derive(Debug)]
pub(super) enum EntryKind {
    File,
    Sparse(SparseMap),
    Folder,
    Symlink(PathBuf),
    HardLink(PathBuf),
    /// What is never unpacked.
    Refused(EntryFault),
}

/// The entries of an archive, one after another.
pub(super) struct Entries<'a, 'b, R> {
    archive: &'a mut Metered<'b, R>,
    layer: &'a Digest,
    /// Bytes of the content at hand that were not read so far, and of the padding behind it.
    left: u64,
    padding: u64,
}

/// What extended headers say about the next entry.
#[derive(Default)]
struct Extension {
    path: Option<PathBuf>,
    link: Option<PathBuf>,
    size: Option<u64>,
    sparse: SparseRecords,
}

impl<'a, 'b, R: Read> Entries<'a, 'b, R> {
    pub(super) fn new(archive: &'a mut Metered<'b, R>, layer: &'a Digest) -> Self {
        Self { archive, layer, left: 0, padding: 0 }
    }

    fn broken(&self, error: io::Error) -> ImageError {
        match error.downcast::<ImageError>() {
            Ok(error) => error,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.refused("ends in the middle of an entry")
            }
            Err(error) => self.refused(&format!("cannot be read: {error}")),
        }
    }

    fn refused(&self, reason: &str) -> ImageError {
        ImageError::Layer { layer: self.layer.clone(), reason: reason.to_owned() }
    }

    /// The content of the entry that came last.
    pub(super) fn content(&mut self) -> Content<'_, 'a, 'b, R> {
        Content { entries: self }
    }

    /// Counts bytes of a file that are not in the archive, before they are written.
    pub(super) fn spend_zeros(&mut self, count: u64) -> Result<(), ImageError> {
        self.archive.spend_zeros(count)
    }

    /// The next entry; `None` at the end of the archive.
    pub(super) fn next_entry(&mut self) -> Result<Option<Entry>, ImageError> {
        let mut extension = Extension::default();
        loop {
            let Some(header) = self.header()? else { return Ok(None) };
            let kind = header.entry_type();
            let size = header.entry_size().ok().filter(|size| *size <= MAX_SIZE);
            let size = size.ok_or_else(|| self.refused("holds a header with a broken size"))?;
            match kind {
                EntryType::GNULongName => extension.path = Some(self.long_name(size)?),
                EntryType::GNULongLink => extension.link = Some(self.long_name(size)?),
                EntryType::XHeader => self.pax(size, &mut extension)?,
                EntryType::XGlobalHeader => {
                    // Git writes the id of a commit; nothing there concerns the files.
                    self.extension(size)?;
                }
                _ => {
                    let entry = self.entry(&header, kind, extension, size)?;
                    self.archive.entry(entry.path.as_os_str().len())?;
                    return Ok(Some(entry));
                }
            }
        }
    }

    fn entry(
        &mut self,
        header: &Header,
        kind: EntryType,
        extension: Extension,
        size: u64,
    ) -> Result<Entry, ImageError> {
        let named = extension.sparse.name.as_deref().map(path_of).or(extension.path);
        let path = named.unwrap_or_else(|| path_of(&header.path_bytes()));
        let link = || {
            extension.link.clone().or_else(|| Some(path_of(&header.link_name_bytes()?))).unwrap_or_default()
        };
        let size = extension.size.unwrap_or(size);
        let is_folder_name = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let kind = match kind {
            EntryType::Regular if is_folder_name && size == 0 => EntryKind::Folder,
            EntryType::Directory => EntryKind::Folder,
            EntryType::Symlink => EntryKind::Symlink(link()),
            EntryType::Link => EntryKind::HardLink(link()),
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => EntryKind::File,
            EntryType::Char => EntryKind::Refused(EntryFault::Kind("character device")),
            EntryType::Block => EntryKind::Refused(EntryFault::Kind("block device")),
            EntryType::Fifo => EntryKind::Refused(EntryFault::Kind("named pipe")),
            other => {
                let text = format!("its type {:?} is not known", char::from(other.as_byte()));
                EntryKind::Refused(EntryFault::Header(text))
            }
        };
        // Some writers give links and directories a size without content.
        let has_content = matches!(kind, EntryKind::File | EntryKind::Refused(_));
        let is_file = matches!(kind, EntryKind::File);
        let old_map =
            if header.entry_type() == EntryType::GNUSparse { Some(self.old_map(header)?) } else { None };
        self.left = if has_content { size } else { 0 };
        self.padding = self.left.next_multiple_of(BLOCK) - self.left;
        let kind = match (old_map, extension.sparse.map()) {
            (Some(map), _) => map.map_or(EntryKind::Refused(EntryFault::Sparse), EntryKind::Sparse),
            (None, Ok(Some(place))) if is_file => match self.placed_map(place)? {
                Ok(map) => EntryKind::Sparse(map),
                Err(BrokenMap) => EntryKind::Refused(EntryFault::Sparse),
            },
            (None, Err(BrokenMap)) if is_file => EntryKind::Refused(EntryFault::Sparse),
            _ => kind,
        };
        let mode = header.mode().unwrap_or(0o644);
        Ok(Entry { path, kind, mode, modified: header.mtime().unwrap_or_default() })
    }

    /// The map of GNU's old form: in the header of the file, and in blocks behind it; nothing if it is broken.
    fn old_map(&mut self, header: &Header) -> Result<Option<SparseMap>, ImageError> {
        let Some(gnu) = header.as_gnu() else { return Ok(None) };
        let part = |one: &GnuSparseHeader| Some((one.offset().ok()?, one.length().ok()?));
        let used = |one: &&GnuSparseHeader| !one.is_empty();
        let mut parts: Vec<Option<(u64, u64)>> = gnu.sparse.iter().take_while(used).map(part).collect();
        let (mut goes_on, mut blocks) = (gnu.is_extended(), 0);
        while goes_on {
            blocks += BLOCK;
            if blocks > MAX_EXTENSION {
                return Ok(None);
            }
            let mut more = GnuExtSparseHeader::new();
            more.as_mut_bytes().copy_from_slice(&self.extension(BLOCK)?);
            parts.extend(more.sparse().iter().take_while(used).map(part));
            goes_on = more.is_extended();
        }
        let parts: Option<Vec<(u64, u64)>> = parts.into_iter().collect();
        Ok(parts.and_then(|parts| SparseMap::new(parts, gnu.real_size().ok()?)))
    }

    /// The map that pax records announce.
    fn placed_map(&mut self, place: MapPlace) -> Result<Result<SparseMap, BrokenMap>, ImageError> {
        let size = match place {
            MapPlace::Here(map) => return Ok(Ok(map)),
            MapPlace::BeforeContent(size) => size,
        };
        let mut blocks = 0;
        leading_map(size, || {
            blocks += BLOCK;
            if blocks > MAX_EXTENSION {
                return Err(self.refused("holds a sparse file with a map of more than 1 MiB"));
            }
            let mut block = vec![0; BLOCK as usize];
            let read = self.content().read_exact(&mut block);
            read.map_err(|error| self.broken(error))?;
            Ok(block)
        })
    }

    /// The next header; `None` at the end: a block of zeros, or no more blocks.
    fn header(&mut self) -> Result<Option<Header>, ImageError> {
        let rest = self.left + self.padding;
        let skipped = io::copy(&mut self.archive.by_ref().take(rest), &mut io::sink());
        let skipped = skipped.map_err(|error| self.broken(error))?;
        if skipped < self.left {
            return Err(self.refused("ends in the middle of an entry"));
        }
        if skipped < rest {
            // `umoci insert` leaves the padding of the last entry out, and Go's archive/tar takes that for the end.
            return Ok(None);
        }
        (self.left, self.padding) = (0, 0);
        let mut header = Header::new_old();
        let mut block = Vec::with_capacity(BLOCK as usize);
        let read = self.archive.by_ref().take(BLOCK).read_to_end(&mut block);
        read.map_err(|error| self.broken(error))?;
        if block.is_empty() || (block.len() as u64 == BLOCK && block.iter().all(|byte| *byte == 0)) {
            return Ok(None);
        }
        if block.len() as u64 != BLOCK {
            return Err(self.refused("ends in the middle of a header"));
        }
        header.as_mut_bytes().copy_from_slice(&block);
        let sum: u32 = block
            .iter()
            .enumerate()
            .map(|(index, byte)| if (148..156).contains(&index) { 32 } else { u32::from(*byte) })
            .sum();
        match header.cksum() {
            Ok(expected) if expected == sum => Ok(Some(header)),
            _ => {
                Err(self.refused("is not a tar archive, or a damaged one: the checksum of a header is wrong"))
            }
        }
    }

    /// The content of an extended header.
    fn extension(&mut self, size: u64) -> Result<Vec<u8>, ImageError> {
        if size > MAX_EXTENSION {
            return Err(self.refused("holds an extended header of more than 1 MiB"));
        }
        let mut bytes = Vec::new();
        let padded = size.next_multiple_of(BLOCK);
        let read = self.archive.by_ref().take(padded).read_to_end(&mut bytes);
        read.map_err(|error| self.broken(error))?;
        if (bytes.len() as u64) < padded {
            return Err(self.refused("ends in the middle of a header"));
        }
        bytes.truncate(size as usize);
        Ok(bytes)
    }

    fn long_name(&mut self, size: u64) -> Result<PathBuf, ImageError> {
        let bytes = self.extension(size)?;
        Ok(path_of(bytes.split(|byte| *byte == 0).next().unwrap_or_default()))
    }

    fn pax(&mut self, size: u64, extension: &mut Extension) -> Result<(), ImageError> {
        let bytes = self.extension(size)?;
        for record in tar::PaxExtensions::new(&bytes) {
            let record = record.map_err(|_| self.refused("holds a broken extended header"))?;
            let value = record.value_bytes();
            match record.key_bytes() {
                b"path" if value.contains(&0) => return Err(self.refused("holds a path with a NUL")),
                b"path" => extension.path = Some(path_of(value)),
                b"linkpath" => extension.link = Some(path_of(value)),
                b"size" => {
                    let size = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                    let size = size.filter(|size| *size <= MAX_SIZE);
                    extension.size =
                        Some(size.ok_or_else(|| self.refused("holds a header with a broken size"))?);
                }
                b"GNU.sparse.name" if value.contains(&0) => {
                    return Err(self.refused("holds a path with a NUL"));
                }
                key => {
                    let Some(key) = key.strip_prefix(b"GNU.sparse.") else { continue };
                    let taken = extension.sparse.take(key, value);
                    taken.map_err(|BrokenMap| self.refused("holds a sparse file with a broken map"))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).to_path_buf()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    Path::new(String::from_utf8_lossy(bytes).as_ref()).to_path_buf()
}

/// The bytes of an entry.
pub(super) struct Content<'e, 'a, 'b, R> {
    entries: &'e mut Entries<'a, 'b, R>,
}

impl<R: Read> Read for Content<'_, '_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.entries.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let count = self.entries.archive.read(buffer.get_mut(..most).unwrap_or_default())?;
        if count == 0 {
            let error = self.entries.refused("ends in the middle of an entry");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, error));
        }
        self.entries.left -= count as u64;
        Ok(count)
    }
}
