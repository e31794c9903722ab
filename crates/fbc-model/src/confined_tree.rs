//! A tree on disk whose symbolic links do not lead out of it: a catalog from elsewhere could show any file of the
//! machine otherwise.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, RwLock};

use crate::tree::{DiskTree, Tree, TreeEntry};

/// What is wrong with a link that leads out.
pub const LEADS_OUT: &str = "is a symbolic link that leads out of the directory";

/// Whether a message is about such a link.
#[must_use]
pub fn leads_out(message: &str) -> bool {
    message.contains(LEADS_OUT)
}

/// A tree on disk that refuses to read through links that lead out of it. The root itself may be a link.
#[derive(Debug)]
pub struct ConfinedTree {
    tree: DiskTree,
    /// How the names of files begin that are being written: they are not part of what lies beside them.
    temporary: &'static str,
    /// The root without links, once it was asked for.
    real_root: OnceLock<PathBuf>,
    /// Directories that lie inside.
    inside: RwLock<HashSet<PathBuf>>,
}

impl ConfinedTree {
    /// The tree below a directory, without the files whose names begin as temporary names do.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>, temporary: &'static str) -> Self {
        let tree = DiskTree { root: root.into() };
        Self { tree, temporary, real_root: OnceLock::new(), inside: RwLock::default() }
    }

    /// Refuses a path whose links lead out.
    fn require_inside(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            self.require_directory_inside(folder)?;
        }
        let full = self.tree.root.join(path);
        match fs::symlink_metadata(&full)?.is_symlink() && !path.as_os_str().is_empty() {
            true => self.require_real_inside(&full),
            false => Ok(()),
        }
    }

    fn require_directory_inside(&self, folder: &Path) -> io::Result<()> {
        // A poisoned lock costs time only.
        if self.inside.read().is_ok_and(|inside| inside.contains(folder)) {
            return Ok(());
        }
        self.require_real_inside(&self.tree.root.join(folder))?;
        if let Ok(mut inside) = self.inside.write() {
            inside.insert(folder.to_path_buf());
        }
        Ok(())
    }

    fn require_real_inside(&self, path: &Path) -> io::Result<()> {
        let real = fs::canonicalize(path)?;
        let real_root = match self.real_root.get() {
            Some(root) => root,
            None => {
                let root = fs::canonicalize(&self.tree.root)?;
                self.real_root.get_or_init(|| root)
            }
        };
        if real.starts_with(real_root) {
            return Ok(());
        }
        Err(io::Error::other(LEADS_OUT))
    }
}

impl Tree for ConfinedTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.require_inside(directory)?;
        let mut entries = self.tree.list(directory)?;
        entries.retain(|entry| !entry.name.to_string_lossy().starts_with(self.temporary));
        Ok(entries)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.require_inside(file)?;
        self.tree.read(file)
    }

    fn size(&self, file: &Path) -> Option<u64> {
        self.require_inside(file).ok()?;
        self.tree.size(file)
    }

    fn read_into(&self, file: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
        self.require_inside(file)?;
        self.tree.read_into(file, buffer)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_inside_only() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let root = folder.join("root");
        fs::create_dir_all(root.join("package")).unwrap();
        fs::create_dir_all(folder.join("outside")).unwrap();
        fs::write(folder.join("outside/secret"), "secret").unwrap();
        fs::write(root.join("package/file"), "text").unwrap();
        fs::write(root.join(".tmp-x1"), "half").unwrap();
        for (target, link) in [
            ("package/file", "inner"),
            ("../outside/secret", "outer"),
            ("/etc/hostname", "absolute"),
            ("../../outside", "package/folder"),
            ("..", "package/up"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(root.join("package/file"), root.join("absolute-inner")).unwrap();
        symlink(&root, folder.join("link")).unwrap();
        for root in [&root, &folder.join("link")] {
            let tree = ConfinedTree::new(root, ".tmp-");
            let read = |path: &str| {
                let read = tree.read(Path::new(path));
                read.map(|bytes| String::from_utf8(bytes).unwrap()).map_err(|error| error.to_string())
            };
            for path in ["package/file", "inner", "absolute-inner", "package/up/package/file"] {
                assert_eq!(read(path), Ok("text".to_owned()), "{path}");
            }
            for path in ["outer", "package/folder/secret", "../outside/secret"] {
                assert_eq!(read(path), Err(LEADS_OUT.to_owned()), "{path}");
            }
            assert!(read("absolute").is_err());
            assert!(tree.list(Path::new("package/folder")).is_err());
            assert_eq!(tree.list(Path::new("")).unwrap().len(), 5);
            assert!(read("missing").unwrap_err().starts_with("No such file"));
        }
    }
}
