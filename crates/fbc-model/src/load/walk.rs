//! The walk over a tree: which files belong to a catalog.

use std::path::{Path, PathBuf};

use fbc_yaml::limits::PatternsExceeded;

use super::reading::{NOT_UTF_8, describe};
use super::{FaultPlace, LoadFault, LoadFaultKind};
use crate::index_ignore::{self, IndexIgnore, IndexIgnoreError};
use crate::tree::Tree;

/// Whether an `.indexignore` of the tree leaves out a file of that path, which need not exist.
#[must_use]
pub fn is_ignored(tree: &dyn Tree, path: &Path) -> bool {
    let mut ignore = IndexIgnore::default();
    // From the root down, as the walk has them.
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        let file = folder.join(index_ignore::FILE_NAME);
        if let Ok(bytes) = tree.read(&file) {
            // One that cannot be read is a fault of the catalog, and told where that is loaded.
            let _ = ignore.add_file(&file, &bytes);
        }
    }
    !ignore.is_empty() && ignore.ignores(path).unwrap_or_default()
}

/// The files of a tree that belong to the catalog.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) files: Vec<PathBuf>,
    pub(super) ignored: Vec<PathBuf>,
    pub(super) faults: Vec<LoadFault>,
    /// The ignore file whose patterns take more than they may.
    pub(super) exceeded: Option<PatternsExceeded>,
}

/// The files of a catalog, in the order of the walk: those that no `.indexignore` leaves out.
#[must_use]
pub fn files(tree: &dyn Tree) -> Vec<PathBuf> {
    Walk::over(tree).files
}

impl Walk {
    pub(super) fn over(tree: &dyn Tree) -> Self {
        let mut walk = Self::default();
        let mut ignore = IndexIgnore::default();
        let mut found = Vec::new();
        walk.directories(tree, &mut found);
        // Ignore files come first, all of them, also those in directories that another ignores.
        for path in
            found.iter().filter(|path| path.file_name().is_some_and(|name| name == index_ignore::FILE_NAME))
        {
            let message = match tree.read(path).map(|bytes| ignore.add_file(path, &bytes)) {
                Ok(Ok(())) => continue,
                Ok(Err(IndexIgnoreError::TooMany(exceeded))) => {
                    walk.too_much(exceeded);
                    return walk;
                }
                Ok(Err(IndexIgnoreError::LongLine)) => "bufio.Scanner: token too long".to_owned(),
                Err(error) => format!("open {}: {}", path.display(), describe(&error)),
            };
            walk.fault(LoadFaultKind::IndexIgnore, message, path.clone());
        }
        for path in found {
            if path.file_name().is_some_and(|name| name == index_ignore::FILE_NAME) {
                continue;
            }
            let is_ignored = if ignore.is_empty() { Ok(false) } else { ignore.ignores(&path) };
            match is_ignored {
                Ok(true) => walk.ignored.push(path),
                Ok(false) => walk.files.push(path),
                // Whether it belongs to the catalog is not known, nor of those behind it.
                Err(exceeded) => {
                    walk.too_much(exceeded);
                    break;
                }
            }
        }
        walk
    }

    fn too_much(&mut self, of: PatternsExceeded) {
        let PatternsExceeded { path, what, exceeded } = &of;
        let message = format!("{what} {exceeded} (limit {})", exceeded.name());
        self.fault(LoadFaultKind::IndexIgnore, message, path.clone());
        self.exceeded = Some(of);
    }

    fn fault(&mut self, kind: LoadFaultKind, message: String, path: PathBuf) {
        self.faults.push(LoadFault { kind, message, path, origin: None, place: FaultPlace::File });
    }

    /// Collects the files below the root, depth first, in the order of their names. Nothing bounds the depth of a tree that
    /// is not on a disk.
    fn directories(&mut self, tree: &dyn Tree, found: &mut Vec<PathBuf>) {
        let mut left = vec![(PathBuf::new(), true)];
        while let Some((path, is_directory)) = left.pop() {
            if !is_directory {
                found.push(path);
                continue;
            }
            if path.to_str().is_none() {
                let message = format!("readdir {}: {NOT_UTF_8}", path.display());
                self.fault(LoadFaultKind::Unreadable, message, path);
                continue;
            }
            match tree.list(&path) {
                Ok(entries) => {
                    let below = entries.into_iter().rev();
                    left.extend(below.map(|entry| (path.join(entry.name), entry.is_directory)));
                }
                Err(error) => {
                    let shown = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
                    let message = format!("open {}: {}", shown.display(), describe(&error));
                    self.fault(LoadFaultKind::Unreadable, message, path);
                }
            }
        }
    }
}
