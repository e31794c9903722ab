//! Files that a scenario and its command lines may read: what lies below the scenario's directory, and what the command
//! line of fbc names. A scenario may come from elsewhere, and what it reads shows in what it prints.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use fbc_model::tree::{DiskTree, Tree, TreeEntry};
use fbc_source::confinement::is_inside;

/// What lets a path be read that is refused.
pub const ALLOW: &str = "`--allow-read DIR` lets a scenario read what lies below a directory";

/// A directory, and other directories that may be read as well. Paths start from the directory.
pub struct ReadableFiles {
    disk: DiskTree,
    allowed: Vec<PathBuf>,
    refused: Mutex<BTreeSet<PathBuf>>,
}

impl ReadableFiles {
    pub(super) fn new(directory: &Path, allowed: &[PathBuf]) -> Self {
        let root =
            if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory.to_path_buf() };
        Self { disk: DiskTree { root }, allowed: allowed.to_vec(), refused: Mutex::default() }
    }

    /// Whether a path may be read, links on its way followed; it starts from the working directory.
    pub(super) fn permits(&self, path: &Path) -> bool {
        let mut roots = std::iter::once(&self.disk.root).chain(&self.allowed);
        roots.any(|root| matches!(is_inside(root, path), Ok(true)))
    }

    fn check(&self, path: &Path) -> io::Result<()> {
        if self.permits(&self.disk.root.join(path)) {
            return Ok(());
        }
        if let Ok(mut refused) = self.refused.lock() {
            refused.insert(path.to_path_buf());
        }
        let text = format!("it leads out of {}; {ALLOW}", self.disk.root.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
    }

    /// The directory that paths start from.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.disk.root
    }

    /// What was not read, for command lines whose programs say no more than that a file does not exist.
    pub fn refused(&self) -> Vec<PathBuf> {
        self.refused.lock().into_iter().flat_map(|refused| refused.clone()).collect()
    }
}

impl Tree for ReadableFiles {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.check(directory)?;
        self.disk.list(directory)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.check(file)?;
        self.disk.read(file)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_elsewhere_is_read_only_if_it_is_allowed() {
        let directory = tempfile::tempdir().unwrap();
        let (own, other) = (directory.path().join("own"), directory.path().join("other"));
        for place in [&own, &other] {
            fs::create_dir(place).unwrap();
            fs::write(place.join("a.yaml"), "a").unwrap();
        }
        std::os::unix::fs::symlink("../other", own.join("link")).unwrap();
        let absolute = other.join("a.yaml").display().to_string();
        let outside = ["../other/a.yaml", "link/a.yaml", absolute.as_str()];
        let files = ReadableFiles::new(&own, &[]);
        assert_eq!(files.read(Path::new("a.yaml")).unwrap(), b"a");
        for path in outside {
            let error = files.read(Path::new(path)).unwrap_err();
            assert!(error.to_string().contains("--allow-read"), "{path}: {error}");
        }
        assert!(files.list(Path::new("link")).is_err());
        assert_eq!(files.refused.lock().unwrap().len(), 4);
        let files = ReadableFiles::new(&own, &[other]);
        for path in outside {
            assert_eq!(files.read(Path::new(path)).unwrap(), b"a", "{path}");
        }
        assert!(files.refused.lock().unwrap().is_empty());
    }
}
