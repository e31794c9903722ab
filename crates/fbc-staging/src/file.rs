//! A file that is being written.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
use tempfile::NamedTempFile;

use crate::{PREFIX, create, live, parent_of};

/// A file without its name. Dropped before it is published, it is gone.
///
/// Where the system knows files without any name (`O_TMPFILE`), it has none before it is published: a catalog that it is
/// written into never shows half of it, whatever ends the process.
#[derive(Debug)]
pub struct StagedFile {
    state: State,
}

#[derive(Debug)]
enum State {
    Unnamed(Unnamed),
    Named(Named),
}

#[derive(Debug)]
struct Unnamed {
    file: File,
    directory: PathBuf,
    mode: u32,
}

/// A file under a temporary name.
#[derive(Debug)]
struct Named {
    file: Option<NamedTempFile>,
    /// Tells others that somebody works on it; released last.
    lock: Option<File>,
}

impl StagedFile {
    /// A file in the directory of the one that it becomes, with the permissions of any new file.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn beside(target: &Path) -> io::Result<Self> {
        Self::within(parent_of(target))
    }

    /// A file in a directory, with the permissions of any new file.
    ///
    /// # Errors
    /// As [`StagedFile::beside`].
    pub fn within(directory: &Path) -> io::Result<Self> {
        // The umask takes away what it must.
        Self::with_mode(directory, 0o666)
    }

    /// A file in a directory that nobody else may read.
    ///
    /// # Errors
    /// As [`StagedFile::beside`].
    pub fn private(directory: &Path) -> io::Result<Self> {
        Self::with_mode(directory, 0o600)
    }

    fn with_mode(directory: &Path, mode: u32) -> io::Result<Self> {
        crate::leftovers::remove(directory);
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        // Whatever is wrong with the directory shows under a name as well.
        let state = match open(directory, flags, Mode::from_raw_mode(mode)) {
            Ok(file) => {
                State::Unnamed(Unnamed { file: file.into(), directory: directory.to_path_buf(), mode })
            }
            Err(_) => State::Named(Named::new(directory, mode)?),
        };
        Ok(Self { state })
    }

    /// The file.
    ///
    /// # Errors
    /// None before it is published.
    pub fn as_file(&self) -> io::Result<&File> {
        match &self.state {
            State::Unnamed(unnamed) => Ok(&unnamed.file),
            State::Named(named) => named.file.as_ref().map(NamedTempFile::as_file).ok_or_else(published),
        }
    }

    /// Gives it its name, in the place of a file that has it.
    ///
    /// # Errors
    /// If the system does not do it.
    pub fn publish(self, target: &Path) -> io::Result<File> {
        match self.state {
            State::Named(named) => named.publish(|file| file.persist(target)),
            State::Unnamed(unnamed) => match live::locked(|| unnamed.link(target)) {
                Ok(()) => Ok(unnamed.file),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => unnamed.replace(target),
                Err(_) => unnamed.under_name()?.publish(|file| file.persist(target)),
            },
        }
    }

    /// Gives it its name, which no other file may have.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or if the system does not do it.
    pub fn publish_new(self, target: &Path) -> io::Result<File> {
        match self.state {
            State::Named(named) => named.publish(|file| file.persist_noclobber(target)),
            State::Unnamed(unnamed) => match live::locked(|| unnamed.link(target)) {
                Ok(()) => Ok(unnamed.file),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
                Err(_) => unnamed.under_name()?.publish(|file| file.persist_noclobber(target)),
            },
        }
    }
}

impl Unnamed {
    /// Gives the file a name that nothing has.
    fn link(&self, target: &Path) -> io::Result<()> {
        let file = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        Ok(linkat(CWD, file.as_str(), CWD, target, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Puts the file in the place of another. There is no step for that, but two that no signal comes between.
    fn replace(self, target: &Path) -> io::Result<File> {
        crate::signals::watch();
        live::locked(|| {
            let name =
                tempfile::Builder::new().prefix(PREFIX).make_in(&self.directory, |name| self.link(name))?;
            // It is renamed, or removed if that fails.
            name.into_temp_path().persist(target).map_err(|failure| failure.error)
        })?;
        Ok(self.file)
    }

    /// A copy under a temporary name, for systems that do not give a name to a file that has none.
    fn under_name(mut self) -> io::Result<Named> {
        let named = Named::new(&self.directory, self.mode)?;
        io::Seek::rewind(&mut self.file)?;
        if let Some(file) = &named.file {
            io::copy(&mut self.file, &mut file.as_file())?;
            file.as_file().set_permissions(self.file.metadata()?.permissions())?;
        }
        Ok(named)
    }
}

impl Named {
    fn new(directory: &Path, mode: u32) -> io::Result<Self> {
        let make = |directory: &Path| {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).permissions(Permissions::from_mode(mode)).tempfile_in(directory)
        };
        let (file, lock) = create(directory, make, NamedTempFile::path)?;
        Ok(Self { file: Some(file), lock })
    }

    fn publish(
        mut self,
        persist: impl FnOnce(NamedTempFile) -> Result<File, tempfile::PersistError>,
    ) -> io::Result<File> {
        let file = self.file.take().ok_or_else(published)?;
        let path = file.path().to_path_buf();
        live::publish(&path, || persist(file)).map_err(|failure| {
            self.file = Some(failure.file);
            failure.error
        })
    }
}

fn published() -> io::Error {
    io::Error::other("the file has its name already")
}

impl Write for StagedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.as_file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.as_file()?.flush()
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let path = file.path().to_path_buf();
            drop(file);
            live::forget(&path);
        }
        self.lock = None;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Both kinds of staged files, whatever the system gives.
    fn kinds(directory: &Path, mode: u32) -> Vec<StagedFile> {
        let named = State::Named(Named::new(directory, mode).unwrap());
        vec![StagedFile::with_mode(directory, mode).unwrap(), StagedFile { state: named }]
    }

    #[test]
    fn published_or_gone() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("file");
        let names = || fs::read_dir(place.path()).unwrap().count();
        for (kind, named) in [(0, 0), (1, 1)] {
            for (content, there) in [("one", 0), ("two", 1)] {
                let mut file = kinds(place.path(), 0o666).swap_remove(kind);
                file.write_all(content.as_bytes()).unwrap();
                let is_unnamed = matches!(file.state, State::Unnamed(_));
                assert_eq!(names(), there + if is_unnamed { 0 } else { 1 }, "{kind} {named}");
                file.publish(&target).unwrap();
                assert_eq!((fs::read_to_string(&target).unwrap().as_str(), names()), (content, 1));
            }
            let other = kinds(place.path(), 0o600).swap_remove(kind);
            assert_eq!(other.as_file().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
            let error = other.publish_new(&target).unwrap_err();
            assert_eq!((error.kind(), names()), (io::ErrorKind::AlreadyExists, 1));
            fs::remove_file(&target).unwrap();
        }
        let mut copied = StagedFile::within(place.path()).unwrap();
        copied.write_all(b"three").unwrap();
        if let State::Unnamed(unnamed) = copied.state {
            unnamed.under_name().unwrap().publish(|file| file.persist(&target)).unwrap();
            assert_eq!((fs::read_to_string(&target).unwrap().as_str(), names()), ("three", 1));
        }
    }
}
