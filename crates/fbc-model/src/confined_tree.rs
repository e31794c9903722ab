//! A tree on disk whose symbolic links do not lead out of it: a catalog from elsewhere could show any file of the
//! machine otherwise.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{OnceLock, RwLock};

use crate::beneath::{self, Purpose};
use crate::tree::{DiskTree, Tree, TreeEntry, read_open_into, readable_bytes};

/// What is wrong with a link that leads out.
pub const LEADS_OUT: &str = "is a symbolic link that leads out of the directory";

/// Whether a message is about such a link.
#[must_use]
pub fn leads_out(message: &str) -> bool {
    message.contains(LEADS_OUT)
}

/// A tree on disk that refuses to read through links that lead out of it. The root itself may be a link.
///
/// Paths are judged first, as they are then; Linux opens them below the root only, so that a link that comes in the place of
/// a directory meanwhile leads nowhere.
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

    /// Refuses a path whose links lead out. What lies in a directory inside is inside as well, unless it is a link, so that
    /// each directory is looked at once, however deep it lies, and nothing but links is resolved.
    fn require_inside(&self, path: &Path) -> io::Result<()> {
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return self.require_real_inside(&self.tree.root.join(path));
        }
        let above = path.ancestors().skip(1).take_while(|above| !self.is_known(above));
        for directory in above.collect::<Vec<_>>().into_iter().rev() {
            self.require_entry_inside(directory)?;
            // A poisoned lock costs time only.
            if let Ok(mut inside) = self.inside.write() {
                inside.insert(directory.to_path_buf());
            }
        }
        self.require_entry_inside(path)
    }

    /// Whether a directory is known to lie inside.
    fn is_known(&self, directory: &Path) -> bool {
        directory.as_os_str().is_empty() || self.inside.read().is_ok_and(|inside| inside.contains(directory))
    }

    /// Refuses a link that leads out, in a directory that lies inside. The root may be one.
    fn require_entry_inside(&self, path: &Path) -> io::Result<()> {
        let full = self.tree.root.join(path);
        match !path.as_os_str().is_empty() && fs::symlink_metadata(&full)?.is_symlink() {
            true => self.require_real_inside(&full),
            false => Ok(()),
        }
    }

    fn require_real_inside(&self, path: &Path) -> io::Result<()> {
        self.real_below_root(path).map(|_| ())
    }

    /// Where a path below the root leads, from there.
    fn real_below_root(&self, path: &Path) -> io::Result<PathBuf> {
        let real = fs::canonicalize(path)?;
        let real_root = match self.real_root.get() {
            Some(root) => root,
            None => {
                let root = fs::canonicalize(&self.tree.root)?;
                self.real_root.get_or_init(|| root)
            }
        };
        real.strip_prefix(real_root).map(Path::to_path_buf).map_err(|_| io::Error::other(LEADS_OUT))
    }

    /// Opens a path that was found to lie inside, as it is now; nothing where the system cannot do that.
    fn open(&self, path: &Path, purpose: Purpose) -> io::Result<Option<File>> {
        let leads_out = |error: &io::Error| error.kind() == io::ErrorKind::CrossesDevices;
        match beneath::open(&self.tree.root, path, purpose) {
            // A link from the root of the file system may lead back inside.
            Err(error) if leads_out(&error) => {
                let real = self.real_below_root(&self.tree.root.join(path))?;
                beneath::open(&self.tree.root, &real, purpose)
                    .map_err(|error| if leads_out(&error) { io::Error::other(LEADS_OUT) } else { error })
            }
            opened => opened,
        }
    }

    /// Opens a file, unless that is none that may be read; nothing where the system cannot do that.
    fn open_to_read(&self, file: &Path) -> io::Result<Option<File>> {
        self.require_inside(file)?;
        let Some(seen) = self.open(file, Purpose::Look)? else { return Ok(None) };
        readable_bytes(&seen.metadata()?)?;
        self.open(file, Purpose::Read)
    }
}

impl Tree for ConfinedTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.require_inside(directory)?;
        let mut entries = match self.open(directory, Purpose::List)? {
            Some(opened) => beneath::entries(&opened)?,
            None => self.tree.list(directory)?,
        };
        entries.retain(|entry| !entry.name.to_string_lossy().starts_with(self.temporary));
        Ok(entries)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_into(file, &mut bytes)?;
        Ok(bytes)
    }

    fn size(&self, file: &Path) -> Option<u64> {
        self.require_inside(file).ok()?;
        self.tree.size(file)
    }

    fn read_into(&self, file: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
        let Some(opened) = self.open_to_read(file)? else { return self.tree.read_into(file, buffer) };
        buffer.clear();
        match readable_bytes(&opened.metadata()?)? {
            Some(size) => read_open_into(opened, size, buffer),
            None => Ok(()),
        }
    }

    fn check_readable(&self, file: &Path) -> io::Result<()> {
        match self.open_to_read(file)? {
            Some(opened) => readable_bytes(&opened.metadata()?).map(|_| ()),
            None => self.tree.check_readable(file),
        }
    }

    fn location(&self) -> Option<PathBuf> {
        self.tree.location()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_on_the_way_are_resolved_and_directories_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        let deep: PathBuf = vec!["d"; 1_000].into_iter().collect();
        fs::create_dir_all(root.join(&deep)).unwrap();
        fs::write(root.join(&deep).join("file"), "text").unwrap();
        let middle: PathBuf = vec!["d"; 500].into_iter().collect();
        let out = vec![".."; 502].join("/");
        symlink(&out, root.join(&middle).join("out")).unwrap();
        symlink(".", root.join(&middle).join("same")).unwrap();
        let tree = ConfinedTree::new(&root, ".tmp-");
        assert_eq!(tree.read(&deep.join("file")).unwrap(), b"text");
        assert_eq!(tree.inside.read().unwrap().len(), 1_000);
        assert_eq!(tree.list(&middle.join("same/same/d")).unwrap().len(), 1);
        for path in ["out", "out/root/d", "same/out"] {
            let error = tree.list(&middle.join(path)).unwrap_err().to_string();
            assert_eq!(error, LEADS_OUT, "{path}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_link_in_the_place_of_a_directory_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(folder.path().join("outside/b")).unwrap();
        fs::write(root.join("a/b/file"), "text").unwrap();
        fs::write(folder.path().join("outside/b/file"), "secret").unwrap();
        let tree = ConfinedTree::new(&root, ".tmp-");
        assert_eq!(tree.read(Path::new("a/b/file")).unwrap(), b"text");
        assert_eq!(tree.list(Path::new("a/b")).unwrap().len(), 1);
        for target in [PathBuf::from("../outside"), folder.path().join("outside")] {
            let _ = fs::rename(root.join("a"), root.join("was"));
            symlink(target, root.join("a")).unwrap();
            let read = tree.read(Path::new("a/b/file")).map_err(|error| error.to_string());
            assert_eq!(read, Err(LEADS_OUT.to_owned()));
            let listed = tree.list(Path::new("a/b")).map_err(|error| error.to_string());
            assert_eq!(listed, Err(LEADS_OUT.to_owned()));
            fs::remove_file(root.join("a")).unwrap();
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn pipes_are_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.path().join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let tree = ConfinedTree::new(folder.path(), ".tmp-");
        let error = tree.read(Path::new("pipe")).unwrap_err().to_string();
        assert_eq!(error, "is a pipe, socket or device, not a regular file");
        assert_eq!(tree.check_readable(Path::new("pipe")).unwrap_err().to_string(), error);
        assert_eq!(tree.read(Path::new("")).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

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
            for path in
                ["outer", "package/folder/secret", "../outside/secret", "package/../../outside/secret"]
            {
                assert_eq!(read(path), Err(LEADS_OUT.to_owned()), "{path}");
            }
            assert!(read("absolute").is_err());
            let readable = |path: &str| tree.check_readable(Path::new(path)).is_ok();
            assert!(readable("package/up/package/file") && !readable("outer") && !readable("missing"));
            for path in ["package/folder", "..", "package/up/..", "package/folder/.."] {
                assert!(tree.list(Path::new(path)).is_err(), "{path}");
            }
            assert_eq!(tree.list(Path::new("")).unwrap().len(), 5);
            assert!(read("missing").unwrap_err().starts_with("No such file"));
        }
    }
}
