//! What killed processes have left behind, told by locks that nobody holds.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{PREFIX, remove_directory};

/// The lock of a staged file or directory.
pub(crate) enum Lock {
    /// It lasts as long as the file is open.
    Held(File),
    /// The file system has no such locks; there nothing is taken for a leftover.
    Unsupported,
    /// Somebody has removed it in the meantime.
    Gone,
}

/// Locks what was just created.
pub(crate) fn lock(path: &Path) -> Lock {
    let Ok(file) = File::open(path) else { return Lock::Gone };
    match (file.lock(), is_at(&file, path)) {
        (_, false) => Lock::Gone,
        (Ok(()), true) => Lock::Held(file),
        (Err(_), true) => Lock::Unsupported,
    }
}

/// Whether the file is still the one at that path.
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|one| (one.dev(), one.ino()));
    let ours = identity(file.metadata());
    ours.is_some() && ours == identity(fs::symlink_metadata(path))
}

/// Directories that were looked through. What other processes left is looked for once in the life of this one, whoever stages
/// something.
static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes what killed processes have left in a directory, once in the life of this process. What cannot be removed
/// stays: it is no reason to fail.
pub(crate) fn remove(parent: &Path) {
    if SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(parent.to_path_buf()) {
        remove_leftovers(parent);
    }
}

/// Removes what killed processes have left in a directory, now: nothing may be staged there for a long time. What is not
/// there has nothing left in it.
pub fn remove_leftovers(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().filter_map(Result::ok) {
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let kind = entry.file_type().ok().filter(|kind| is_ours && (kind.is_dir() || kind.is_file()));
        if let Some(kind) = kind {
            remove_if_left(&entry.path(), kind.is_dir());
        }
    }
}

fn remove_if_left(path: &Path, is_directory: bool) {
    let Ok(file) = File::open(path) else { return };
    match file.try_lock() {
        Ok(()) if is_at(&file, path) => {
            let _ = if is_directory { remove_directory(path) } else { fs::remove_file(path) };
        }
        Ok(()) | Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StagedDirectory, StagedFile};

    #[test]
    fn only_what_nobody_holds_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let held = [place.path().join(".fbc-tmp-file"), place.path().join(".fbc-tmp-directory")];
        fs::write(&held[0], "x").unwrap();
        fs::create_dir(&held[1]).unwrap();
        fs::write(place.path().join(".fbc-other"), "x").unwrap();
        let locks: Vec<Lock> = held.iter().map(|path| lock(path)).collect();
        for left in ["one", "two"] {
            fs::create_dir_all(place.path().join(PREFIX.to_owned() + left).join("sub")).unwrap();
            fs::write(place.path().join(PREFIX.to_owned() + left + "-file"), "x").unwrap();
        }
        assert!(locks.iter().all(|lock| matches!(lock, Lock::Held(_))));
        drop(StagedFile::within(place.path()).unwrap());
        let names = || {
            let mut names: Vec<_> =
                fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(), [".fbc-other", ".fbc-tmp-directory", ".fbc-tmp-file"]);
        drop(StagedDirectory::within(place.path()).unwrap());
        assert_eq!(names().len(), 3);
    }
}
