//! A directory that is being filled.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

use crate::{PREFIX, create, live, parent_of, remove_directory, root};

/// A directory under a temporary name. Dropped before it is published, it is removed with all that is in it.
#[derive(Debug)]
pub struct StagedDirectory {
    directory: Option<TempDir>,
    path: PathBuf,
    lock: Option<File>,
}

impl StagedDirectory {
    /// A directory beside the one that it becomes, with the permissions of any new directory.
    ///
    /// # Errors
    /// If the directory above cannot be written.
    pub fn beside(target: &Path) -> io::Result<Self> {
        Self::within(parent_of(target))
    }

    /// A directory in another, with the permissions of any new directory.
    ///
    /// # Errors
    /// As [`StagedDirectory::beside`].
    pub fn within(parent: &Path) -> io::Result<Self> {
        // The umask takes away what it must.
        Self::with_mode(parent, 0o777)
    }

    /// A directory for what is needed while the process runs, which nobody else may read. `parent` is where the system
    /// keeps such things.
    ///
    /// # Errors
    /// As [`StagedDirectory::beside`].
    pub fn scratch(parent: &Path) -> io::Result<Self> {
        Self::with_mode(parent, 0o700)
    }

    fn with_mode(parent: &Path, mode: u32) -> io::Result<Self> {
        let make = |parent: &Path| {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).permissions(Permissions::from_mode(mode)).tempdir_in(parent)
        };
        let (directory, lock) = create(parent, make, TempDir::path)?;
        let path = directory.path().to_path_buf();
        Ok(Self { directory: Some(directory), path, lock })
    }

    /// Its temporary path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a directory in it, with those on the way.
    ///
    /// # Errors
    /// If the path leads anywhere but down, or the system does not make it.
    pub fn create_directory(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(self.below(path)?)
    }

    /// A new file in it, with the directories on the way.
    ///
    /// # Errors
    /// As [`StagedDirectory::create_directory`], or if there is such a file.
    pub fn create_file(&self, path: &Path) -> io::Result<File> {
        let path = self.below(path)?;
        fs::create_dir_all(parent_of(&path))?;
        File::create_new(path)
    }

    /// Nobody but this process puts anything there, so that a path that only goes down stays inside.
    fn below(&self, path: &Path) -> io::Result<PathBuf> {
        match root::is_plain(path) {
            true => Ok(self.path.join(path)),
            false => Err(io::ErrorKind::InvalidFilename.into()),
        }
    }

    /// Gives it its name, which nothing but an empty directory may have.
    ///
    /// # Errors
    /// [`io::ErrorKind::DirectoryNotEmpty`], or if the system does not rename it.
    pub fn publish(self, target: &Path) -> io::Result<()> {
        self.try_publish(target).map_err(|(_, error)| error)
    }

    /// As [`StagedDirectory::publish`]; the directory comes back with the error, for who can use it elsewhere.
    ///
    /// # Errors
    /// As there.
    pub fn try_publish(mut self, target: &Path) -> Result<(), (Self, io::Error)> {
        match live::publish(&self.path, || fs::rename(&self.path, target)) {
            Ok(()) => {
                self.keep();
                Ok(())
            }
            Err(error) => Err((self, error)),
        }
    }

    /// Gives it its name in the place of a directory that has it, and removes that one. Both change places in one step
    /// where the system can do that; elsewhere there is a moment without any.
    ///
    /// # Errors
    /// If the system does not rename it; then the old one has its name.
    pub fn replace(mut self, target: &Path) -> io::Result<()> {
        match live::locked(|| exchange(&self.path, target)) {
            // What lies under the temporary name now goes with it.
            Ok(()) => return Ok(()),
            Err(error) if is_unsupported(&error) => {}
            Err(error) => return Err(error),
        }
        let aside = Self::beside(target)?;
        let old = aside.path().join("old");
        live::publish(&self.path, || {
            fs::rename(target, &old)?;
            // The message is about what went wrong first.
            fs::rename(&self.path, target).inspect_err(|_| drop(fs::rename(&old, target)))
        })?;
        self.keep();
        Ok(())
    }

    fn keep(&mut self) {
        if let Some(directory) = self.directory.take() {
            let _ = directory.keep();
        }
    }
}

fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Whether the system or the file system knows no exchange.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

impl Drop for StagedDirectory {
    fn drop(&mut self) {
        if let Some(directory) = self.directory.take() {
            // Nobody is left to be told.
            let _ = remove_directory(&directory.keep());
            live::forget(&self.path);
        }
        self.lock = None;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn files_in_it_stay_in_it() {
        let place = tempfile::tempdir().unwrap();
        let staged = StagedDirectory::within(place.path()).unwrap();
        staged.create_file(Path::new("a/b/c")).unwrap();
        staged.create_directory(Path::new("a/d")).unwrap();
        assert!(staged.path().join("a/d").is_dir() && staged.path().join("a/b/c").is_file());
        for path in ["../x", "a/../../x", "/tmp/x", "a/b/c"] {
            assert!(staged.create_file(Path::new(path)).is_err(), "{path}");
        }
        assert_eq!(names(place.path()).len(), 1);
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn published_replaced_or_gone() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("target");
        let staged = |content: &str| {
            let staged = StagedDirectory::beside(&target).unwrap();
            staged.create_file(Path::new(content)).unwrap().write_all(content.as_bytes()).unwrap();
            staged
        };
        drop(staged("gone"));
        assert!(names(place.path()).is_empty());
        staged("one").publish(&target).unwrap();
        assert_eq!(
            (names(place.path()), names(&target)),
            (vec!["target".to_owned()], vec!["one".to_owned()])
        );
        let error = staged("two").publish(&target).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::DirectoryNotEmpty);
        staged("three").replace(&target).unwrap();
        assert_eq!((names(place.path()).len(), names(&target)), (1, vec!["three".to_owned()]));
        assert!(live::lock().iter().all(|path| !path.starts_with(place.path())));
    }

    #[test]
    fn nothing_to_replace_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("target");
        let staged = StagedDirectory::beside(&target).unwrap();
        assert_eq!(staged.replace(&target).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(names(place.path()).is_empty());
    }
}
