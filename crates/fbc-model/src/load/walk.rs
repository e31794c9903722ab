//! The walk over a tree: which files belong to a catalog.

use std::path::{Path, PathBuf};

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
    !ignore.is_empty() && ignore.ignores(&components(path))
}

/// The files of a tree that belong to the catalog.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) files: Vec<PathBuf>,
    pub(super) ignored: Vec<PathBuf>,
    pub(super) faults: Vec<LoadFault>,
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
        walk.directory(tree, Path::new(""), &mut found);
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
                walk.faults.push(LoadFault {
                    kind: LoadFaultKind::IndexIgnore,
                    message,
                    path: path.clone(),
                    origin: None,
                    place: FaultPlace::File,
                });
            }
        }
        for path in found {
            if path.file_name().is_some_and(|name| name == index_ignore::FILE_NAME) {
                continue;
            }
            if !ignore.is_empty() && ignore.ignores(&components(&path)) {
                walk.ignored.push(path);
            } else {
                walk.files.push(path);
            }
        }
        walk
    }

    /// Collects the files below a directory, depth first, in the order of their names. Depth is
    /// bounded by the length that the system allows to paths.
    fn directory(&mut self, tree: &dyn Tree, directory: &Path, found: &mut Vec<PathBuf>) {
        if directory.to_str().is_none() {
            self.faults.push(LoadFault {
                kind: LoadFaultKind::Unreadable,
                message: format!("readdir {}: {NOT_UTF_8}", directory.display()),
                path: directory.to_path_buf(),
                origin: None,
                place: FaultPlace::File,
            });
            return;
        }
        match tree.list(directory) {
            Ok(entries) => {
                for entry in entries {
                    let path = directory.join(&entry.name);
                    if entry.is_directory {
                        self.directory(tree, &path, found);
                    } else {
                        found.push(path);
                    }
                }
            }
            Err(error) => {
                let shown = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
                self.faults.push(LoadFault {
                    kind: LoadFaultKind::Unreadable,
                    message: format!("open {}: {}", shown.display(), describe(&error)),
                    path: directory.to_path_buf(),
                    origin: None,
                    place: FaultPlace::File,
                });
            }
        }
    }
}

fn components(path: &Path) -> Vec<Vec<u8>> {
    path.components().map(|component| component.as_os_str().as_encoded_bytes().to_vec()).collect()
}
