//! A tree with some files in other versions.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::tree::{Tree, TreeEntry};

/// Files by path, with their new bytes; nothing where the file is to be gone.
pub type FileVersions = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// A tree in which some files are replaced, added or gone.
pub struct OverlayTree {
    base: Box<dyn Tree>,
    files: FileVersions,
}

impl OverlayTree {
    /// Puts files over a tree. New files must lie in directories that the tree has.
    #[must_use]
    pub fn new(base: Box<dyn Tree>, files: FileVersions) -> Self {
        Self { base, files }
    }
}

impl Tree for OverlayTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        let mut entries = self.base.list(directory)?;
        for (path, bytes) in &self.files {
            let Some(name) = path.file_name().filter(|_| path.parent() == Some(directory)) else { continue };
            let is_listed = entries.iter().any(|entry| entry.name == Path::new(name));
            match bytes {
                Some(_) if !is_listed => {
                    entries.push(TreeEntry { name: PathBuf::from(name), is_directory: false });
                }
                Some(_) => {}
                None => entries.retain(|entry| entry.name != Path::new(name)),
            }
        }
        entries.sort_by(|a, b| a.name.as_os_str().cmp(b.name.as_os_str()));
        Ok(entries)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        match self.files.get(file) {
            Some(Some(bytes)) => Ok(bytes.clone()),
            Some(None) => Err(io::Error::from(io::ErrorKind::NotFound)),
            None => self.base.read(file),
        }
    }
}
