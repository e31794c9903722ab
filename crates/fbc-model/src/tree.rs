//! Where files come from: a read-only tree, so that a catalog may lie on disk, in memory, in a
//! revision of a repository or in an image.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files larger than this are refused: 4 GiB. It bounds memory, also for files without an end.
pub const MAX_FILE_BYTES: u64 = 4 << 30;

/// What a directory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// The name, without directories.
    pub name: PathBuf,
    /// Whether it is itself a directory. A symbolic link is none, wherever it leads.
    pub is_directory: bool,
}

/// A read-only tree of files. Paths are relative to its root; the empty path is the root.
pub trait Tree: Send + Sync {
    /// The entries of a directory, sorted by the bytes of their names.
    ///
    /// # Errors
    /// Whatever keeps the directory from being read.
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>>;

    /// The bytes of a file.
    ///
    /// # Errors
    /// Whatever keeps the file from being read; what is not a regular file is refused.
    fn read(&self, file: &Path) -> io::Result<Vec<u8>>;

    /// The size of a file in bytes, if it is known without reading it.
    fn size(&self, _file: &Path) -> Option<u64> {
        None
    }

    /// As [`Tree::read`], into a buffer that may be used for one file after another: what it held is
    /// gone. Fresh memory costs more than reading a file that the system has at hand.
    ///
    /// # Errors
    /// As [`Tree::read`].
    fn read_into(&self, file: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
        *buffer = self.read(file)?;
        Ok(())
    }

    /// Finds out whether a file may be read, without reading it where that is possible.
    ///
    /// # Errors
    /// As [`Tree::read`].
    fn check_readable(&self, file: &Path) -> io::Result<()> {
        self.read(file).map(|_| ())
    }

    /// Where it lies on the disk, for messages; nothing if it lies elsewhere.
    fn location(&self) -> Option<PathBuf> {
        self.folder().map(Path::to_path_buf)
    }

    /// The directory of the disk that it is, if it is one: the reference names it in some errors.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// The paths of all files, directory by directory.
///
/// # Errors
/// Whatever keeps a directory from being read.
pub fn files(tree: &dyn Tree) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut directories) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(directory) = directories.pop() {
        for entry in tree.list(&directory)? {
            let path = directory.join(&entry.name);
            if entry.is_directory { directories.push(path) } else { files.push(path) }
        }
    }
    Ok(files)
}

/// A tree on disk.
#[derive(Clone, Debug)]
pub struct DiskTree {
    /// The root directory.
    pub root: PathBuf,
}

impl Tree for DiskTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.root.join(directory))? {
            let entry = entry?;
            entries.push(TreeEntry {
                name: PathBuf::from(entry.file_name()),
                is_directory: entry.file_type()?.is_dir(),
            });
        }
        entries.sort_by(|a, b| a.name.as_os_str().cmp(b.name.as_os_str()));
        Ok(entries)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        read_file(&self.root.join(file))
    }

    fn size(&self, file: &Path) -> Option<u64> {
        fs::metadata(self.root.join(file)).ok().map(|metadata| metadata.len())
    }

    fn read_into(&self, file: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
        read_file_into(&self.root.join(file), buffer)
    }

    fn check_readable(&self, file: &Path) -> io::Result<()> {
        let path = self.root.join(file);
        match readable_bytes(&fs::metadata(&path)?)? {
            Some(_) => fs::File::open(path).map(|_| ()),
            None => Ok(()),
        }
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.root)
    }
}

/// Reads a regular file of the disk.
///
/// # Errors
/// As [`Tree::read`]; a pipe or device is refused without opening it, because it may block.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_file_into(path, &mut bytes)?;
    Ok(bytes)
}

fn read_file_into(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    match readable_bytes(&fs::metadata(path)?)? {
        Some(size) => read_open_into(fs::File::open(path)?, size, bytes),
        None => Ok(()),
    }
}

/// How many bytes a file has that may be read; nothing for `/dev/null`.
///
/// # Errors
/// It is not a regular file, or too large.
pub(crate) fn readable_bytes(metadata: &fs::Metadata) -> io::Result<Option<u64>> {
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
    }
    if is_null_device(metadata) {
        return Ok(None);
    }
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "is a pipe, socket or device, not a regular file",
        ));
    }
    if metadata.len() > MAX_FILE_BYTES { Err(too_large()) } else { Ok(Some(metadata.len())) }
}

/// Reads a file of about that many bytes to its end.
pub(crate) fn read_open_into(file: fs::File, size: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.reserve(size as usize);
    file.take(MAX_FILE_BYTES + 1).read_to_end(bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(too_large()) } else { Ok(()) }
}

/// Whether it is `/dev/null`, which has an end, unlike other devices.
#[cfg(target_os = "linux")]
fn is_null_device(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    // Device 3 of the memory devices.
    const NULL: u64 = (1 << 8) | 3;
    metadata.file_type().is_char_device() && metadata.rdev() == NULL
}

#[cfg(not(target_os = "linux"))]
fn is_null_device(_: &fs::Metadata) -> bool {
    false
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "is larger than 4 GiB")
}

/// A directory within a tree, as a tree of its own.
pub struct Subtree {
    /// The tree.
    pub tree: Arc<dyn Tree>,
    /// The directory.
    pub folder: PathBuf,
}

impl Tree for Subtree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.tree.list(&self.folder.join(directory))
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.tree.read(&self.folder.join(file))
    }

    fn check_readable(&self, file: &Path) -> io::Result<()> {
        self.tree.check_readable(&self.folder.join(file))
    }

    fn location(&self) -> Option<PathBuf> {
        self.tree.location().map(|root| root.join(&self.folder))
    }
}

/// A tree in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryTree {
    /// Adds a file.
    pub fn insert(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }
}

impl<P: Into<PathBuf>, B: Into<Vec<u8>>> FromIterator<(P, B)> for MemoryTree {
    fn from_iter<I: IntoIterator<Item = (P, B)>>(files: I) -> Self {
        Self { files: files.into_iter().map(|(path, bytes)| (path.into(), bytes.into())).collect() }
    }
}

impl Tree for MemoryTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        let mut entries: Vec<TreeEntry> = Vec::new();
        for path in self.files.keys() {
            let Ok(below) = path.strip_prefix(directory) else { continue };
            let mut components = below.components();
            let Some(first) = components.next() else { continue };
            let name = PathBuf::from(first.as_os_str());
            if entries.iter().all(|entry| entry.name != name) {
                entries.push(TreeEntry { name, is_directory: components.next().is_some() });
            }
        }
        entries.sort_by(|a, b| a.name.as_os_str().cmp(b.name.as_os_str()));
        Ok(entries)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.files.get(file).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}
