//! The walk over a tree: which files belong to a catalog.

use std::path::{Path, PathBuf};

use fbc_go::allowance::Exceeded;

use super::reading::{NOT_UTF_8, describe};
use super::{FaultPlace, LoadFault, LoadFaultKind};
use crate::index_ignore::{self, IndexIgnore};
use crate::tree::Tree;

/// Whether an `.indexignore` of the tree leaves out a file of that path, which need not exist.
#[must_use]
pub fn is_ignored(tree: &dyn Tree, path: &Path) -> bool {
    let mut ignore = IndexIgnore::default();
    // From the root down, as the walk has them.
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        if let Ok(bytes) = tree.read(&folder.join(index_ignore::FILE_NAME)) {
            // One that cannot be read is a fault of the catalog, and told where that is loaded.
            let _ = ignore.add_file(&components(folder), &bytes);
        }
    }
    !ignore.is_empty() && ignore.ignores(&components(path)).unwrap_or_default()
}

/// The files of a tree that belong to the catalog.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) files: Vec<PathBuf>,
    pub(super) ignored: Vec<PathBuf>,
    pub(super) faults: Vec<LoadFault>,
    /// The budget that the patterns of ignore files use up.
    pub(super) exceeded: Option<Exceeded>,
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
            let domain = path.parent().map(components).unwrap_or_default();
            let outcome = match tree.read(path) {
                Ok(bytes) => ignore.add_file(&domain, &bytes).map_err(str::to_owned),
                Err(error) => Err(format!("open {}: {}", path.display(), describe(&error))),
            };
            if let Err(message) = outcome {
                walk.fault(LoadFaultKind::IndexIgnore, message, path.clone());
            }
        }
        for path in found {
            if path.file_name().is_some_and(|name| name == index_ignore::FILE_NAME) {
                continue;
            }
            let is_ignored = if ignore.is_empty() { Ok(false) } else { ignore.ignores(&components(&path)) };
            match is_ignored {
                Ok(true) => walk.ignored.push(path),
                Ok(false) => walk.files.push(path),
                // Whether it belongs to the catalog is not known, nor of those behind it.
                Err(exceeded) => {
                    let message = format!(
                        "comparing files with the patterns of {} {exceeded} (limit {})",
                        index_ignore::FILE_NAME,
                        exceeded.name()
                    );
                    walk.fault(LoadFaultKind::IndexIgnore, message, path);
                    walk.exceeded = Some(exceeded);
                    break;
                }
            }
        }
        walk
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

fn components(path: &Path) -> Vec<Vec<u8>> {
    path.components().map(|component| component.as_os_str().as_encoded_bytes().to_vec()).collect()
}
