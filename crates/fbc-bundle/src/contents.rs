//! Everything that lies in a bundle directory, faults included, for those who judge bundles.
//!
//! [`crate::folder`] skips what the reference skips; here nothing is skipped, and every document keeps its
//! place.

use std::ops::Range;
use std::path::{Path, PathBuf};

use fbc_model::tree::Tree;
use fbc_yaml::stream::{self, Fault, Syntax};
use fbc_yaml::{Document, Kind};
use rayon::prelude::*;

/// The directory of the Kubernetes objects.
pub const MANIFESTS: &str = "manifests";
/// The directory of annotations, dependencies and properties.
pub const METADATA: &str = "metadata";

/// What lies in the two directories of a bundle.
#[derive(Debug, Default)]
pub struct BundleContents {
    /// The files, first those of `manifests`, then those of `metadata`, by name.
    pub files: Vec<BundleFile>,
    /// Directories within the two directories, which nobody looks into.
    pub nested_folders: Vec<PathBuf>,
    /// The two directories that cannot be read, with the reason.
    pub missing_directories: Vec<(PathBuf, String)>,
}

/// A file of a bundle.
#[derive(Debug)]
pub struct BundleFile {
    /// The path in the bundle.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Its documents, in their order, or why there are none.
    pub documents: Result<Vec<BundleDocument>, FileFault>,
}

/// Why a file has no documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFault {
    /// The system does not give it, for this reason.
    Unreadable(String),
    /// It holds something other than text, from this byte on.
    NotText(usize),
}

/// A document of a file.
#[derive(Debug)]
pub struct BundleDocument {
    /// Where it lies in the file.
    pub range: Range<usize>,
    /// How it is written.
    pub syntax: Syntax,
    /// The object, or what is wrong with the document; of what is not an object, the kind.
    pub object: Result<Document, Fault<Kind>>,
}

impl BundleContents {
    /// Reads the two directories. Never fails as a whole: faults are part of the contents.
    #[must_use]
    pub fn read(tree: &dyn Tree) -> Self {
        let mut contents = Self::default();
        let mut paths = Vec::new();
        for folder in [MANIFESTS, METADATA].map(Path::new) {
            match tree.list(folder) {
                Ok(entries) => {
                    for entry in entries {
                        let path = folder.join(&entry.name);
                        let list = if entry.is_directory { &mut contents.nested_folders } else { &mut paths };
                        list.push(path);
                    }
                }
                Err(error) => contents.missing_directories.push((folder.to_path_buf(), error.to_string())),
            }
            // A tree in memory has no empty folders: one without entries is not there.
            let is_listed = |path: &PathBuf| path.starts_with(folder);
            let is_known = contents.missing_directories.iter().any(|(path, _)| path == folder);
            let is_empty = !paths.iter().chain(&contents.nested_folders).any(is_listed);
            if is_empty && !is_known {
                contents.missing_directories.push((folder.to_path_buf(), "is empty".to_owned()));
            }
        }
        contents.files = paths.into_par_iter().map(|path| read_file(tree, path)).collect();
        contents
    }

    /// The files of one of the two directories.
    pub fn files_of(&self, folder: &'static str) -> impl Iterator<Item = (u32, &BundleFile)> {
        let numbered = self.files.iter().enumerate().map(|(index, file)| (index as u32, file));
        numbered.filter(move |(_, file)| file.path.starts_with(folder))
    }
}

fn read_file(tree: &dyn Tree, path: PathBuf) -> BundleFile {
    match tree.read(&path) {
        Err(error) => BundleFile { path, size: 0, documents: Err(FileFault::Unreadable(error.to_string())) },
        Ok(bytes) => BundleFile { path, size: bytes.len() as u64, documents: documents(&bytes) },
    }
}

fn documents(bytes: &[u8]) -> Result<Vec<BundleDocument>, FileFault> {
    // YAML may be UTF-16, which its reader tells by the mark at the beginning.
    let is_utf_16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    if !is_utf_16 {
        let text = std::str::from_utf8(bytes).map_err(|error| FileFault::NotText(error.valid_up_to()))?;
        if let Some(byte) = text.bytes().position(|byte| byte == 0) {
            return Err(FileFault::NotText(byte));
        }
    }
    let only_objects = |document: Document| match document.root().kind() {
        Kind::Object => Ok(document),
        kind => Err(kind),
    };
    let decoded = stream::read(bytes, &only_objects).into_iter();
    Ok(decoded
        .map(|decoded| BundleDocument {
            range: decoded.range,
            syntax: decoded.syntax,
            object: decoded.outcome,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use fbc_model::tree::MemoryTree;

    #[test]
    fn faults_are_part_of_the_contents() {
        let tree: MemoryTree = [
            ("manifests/a.yaml", b"kind: A\n---\nkind: B\n---\n- 1\n".as_slice()),
            ("manifests/b.png", b"\x89PNG\0".as_slice()),
            ("manifests/c/d.yaml", b"kind: D\n".as_slice()),
        ]
        .into_iter()
        .collect();
        let contents = BundleContents::read(&tree);
        assert_eq!(contents.nested_folders, [PathBuf::from("manifests/c")]);
        assert_eq!(contents.missing_directories, [(PathBuf::from("metadata"), "is empty".to_owned())]);
        let documents = contents.files[0].documents.as_ref().unwrap();
        assert_eq!(documents.len(), 3);
        assert!(matches!(documents[2].object, Err(Fault::Rejected(Kind::Array))));
        assert_eq!(contents.files[1].documents.as_ref().err(), Some(&FileFault::NotText(0)));
    }
}
