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
    /// Puts files over a tree, which may be missing altogether.
    #[must_use]
    pub fn new(base: Box<dyn Tree>, files: FileVersions) -> Self {
        Self { base, files }
    }

    fn has_files_below(&self, directory: &Path) -> bool {
        self.files.iter().any(|(path, bytes)| bytes.is_some() && path.starts_with(directory))
    }
}

impl Tree for OverlayTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        let mut entries = match self.base.list(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.has_files_below(directory) => {
                Vec::new()
            }
            listed => listed?,
        };
        for (path, bytes) in &self.files {
            let Ok(below) = path.strip_prefix(directory) else { continue };
            let mut components = below.components();
            let Some(name) = components.next().map(|first| PathBuf::from(first.as_os_str())) else {
                continue;
            };
            let is_directory = components.next().is_some();
            let is_listed = entries.iter().any(|entry| entry.name == name);
            match bytes {
                Some(_) if !is_listed => entries.push(TreeEntry { name, is_directory }),
                None if !is_directory => entries.retain(|entry| entry.name != name),
                Some(_) | None => {}
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

    fn location(&self) -> Option<PathBuf> {
        self.base.location()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::MemoryTree;

    #[test]
    fn files_over_files() {
        let base: MemoryTree = [("a/one", "1"), ("a/two", "2"), ("b/three", "3")].into_iter().collect();
        let version = |path: &str, bytes: Option<&str>| {
            (PathBuf::from(path), bytes.map(|text| text.as_bytes().to_vec()))
        };
        let files =
            [version("a/one", Some("new")), version("a/two", None), version("c/d/four", Some("4"))].into();
        let tree = OverlayTree::new(Box::new(base), files);
        let names = |directory: &str| -> Vec<(String, bool)> {
            let entries = tree.list(Path::new(directory)).unwrap();
            entries.iter().map(|entry| (entry.name.display().to_string(), entry.is_directory)).collect()
        };
        let named = |name: &str, is_directory| (name.to_owned(), is_directory);
        assert_eq!(names(""), [named("a", true), named("b", true), named("c", true)]);
        assert_eq!(names("a"), [named("one", false)]);
        assert_eq!(names("c"), [named("d", true)]);
        assert_eq!(names("c/d"), [named("four", false)]);
        assert_eq!(tree.read(Path::new("a/one")).unwrap(), b"new");
        assert_eq!(tree.read(Path::new("b/three")).unwrap(), b"3");
        assert!(tree.read(Path::new("a/two")).is_err());
    }
}
