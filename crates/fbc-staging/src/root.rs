//! A directory that may be written in, and nothing outside of it.

use std::fmt;
use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use crate::named::{destination, is_of_git};
use crate::{StagedFile, parent_of};

/// A directory, and the promise that nothing outside of it is written: whatever symbolic links others have put into it.
///
/// Its own path may lead through links, since whoever runs the program names it. Paths in it are relative to it, or
/// absolute; links on their way, and at their end, are followed within the directory and refused where they lead out, or
/// nowhere ([`leads_out`]). Links that somebody puts there between the look and the write are not seen.
#[derive(Clone, Debug)]
pub struct Root {
    /// As it was named.
    named: PathBuf,
    /// Without links.
    real: PathBuf,
    follows_links: bool,
}

/// A path leads out of the directory that may be written in.
#[derive(Debug)]
pub(crate) struct LeadsOut {
    root: PathBuf,
}

impl LeadsOut {
    pub(crate) fn of(root: &Path) -> io::Error {
        io::Error::other(Self { root: root.to_path_buf() })
    }
}

impl fmt::Display for LeadsOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "it leads out of {}", self.root.display())
    }
}

impl std::error::Error for LeadsOut {}

/// Whether something is not written because a path leads out of the directory that may be written in.
#[must_use]
pub fn leads_out(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<LeadsOut>())
}

impl Root {
    /// A directory that exists.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(path: &Path) -> io::Result<Self> {
        let real = fs::canonicalize(or_here(path))?;
        match fs::metadata(&real)?.is_dir() {
            true => Ok(Self { named: path.to_path_buf(), real, follows_links: false }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// A directory that is made if it does not exist, with those on the way to it.
    ///
    /// # Errors
    /// If the system does not make it.
    pub fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(or_here(path))?;
        Self::open(path)
    }

    /// As [`Root::create`]; nobody else may read the directories that are made.
    ///
    /// # Errors
    /// As there.
    pub fn create_private(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Self::open(path)
    }

    /// Takes the rights of everybody else away.
    ///
    /// # Errors
    /// If it belongs to another user.
    pub fn make_private(&self) -> io::Result<()> {
        fs::set_permissions(&self.real, Permissions::from_mode(0o700))
    }

    /// The directory that a file is in that whoever runs the program names, made if it does not exist.
    ///
    /// # Errors
    /// As [`Root::create`].
    pub fn create_around(file: &Path) -> io::Result<Self> {
        Self::create(parent_of(file))
    }

    /// The same directory; if whoever runs the program trusts the links in it, they are followed wherever they lead.
    #[must_use]
    pub fn following(self, follows_links: bool) -> Self {
        Self { follows_links, ..self }
    }

    /// Where it is, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.real
    }

    /// A path in it as a message shows it.
    #[must_use]
    pub fn shown(&self, path: &Path) -> PathBuf {
        match self.named == Path::new(".") {
            true => path.to_path_buf(),
            false => self.named.join(path),
        }
    }

    /// Where a path in the directory leads, without links. What does not exist yet counts by the directory that it would
    /// come into.
    ///
    /// # Errors
    /// If it leads out ([`leads_out`]), or the system does not say where it leads.
    pub fn place(&self, path: &Path) -> io::Result<PathBuf> {
        if self.follows_links {
            return destination(&self.real.join(path), true);
        }
        let out = || LeadsOut::of(&self.real);
        for above in path.ancestors() {
            let full = self.real.join(above);
            match fs::symlink_metadata(&full) {
                Err(error) if is_absent(&error) => continue,
                Err(error) => return Err(error),
                Ok(_) => {}
            }
            // What is written through a link that leads nowhere could be anywhere.
            let mut real =
                fs::canonicalize(&full).map_err(|error| if is_absent(&error) { out() } else { error })?;
            let rest = path.strip_prefix(above).unwrap_or(path);
            let is_inside =
                real.strip_prefix(&self.real).is_ok_and(|below| !is_of_git(below) || is_of_git(path));
            if !is_inside || !is_plain(rest) {
                return Err(out());
            }
            real.extend(rest.components());
            return Ok(real);
        }
        Err(out())
    }

    /// Makes a directory in it, with those on the way.
    ///
    /// # Errors
    /// If its path leads out, or the system does not make it.
    pub fn create_directory(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(self.place(path)?)
    }

    /// Begins a file in it, with the permissions of one that is there; directories on the way are made. Gets its name by
    /// [`Replacement::publish`].
    ///
    /// # Errors
    /// If its path leads out, what is there may not be written, or the system does not write.
    pub fn replace(&self, path: &Path) -> io::Result<Replacement> {
        let target = self.place(path)?;
        let old = permissions_of(&target)?;
        if old.is_none() {
            fs::create_dir_all(parent_of(&target))?;
        }
        let file = StagedFile::beside(&target)?;
        if let Some(permissions) = old {
            file.as_file()?.set_permissions(permissions)?;
        }
        Ok(Replacement { file, target })
    }

    /// Writes a file in it in one step, as [`Root::replace`] does.
    ///
    /// # Errors
    /// As there.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.replace(path)?;
        file.file.write_all(bytes)?;
        file.publish()
    }

    /// Removes a file, not what a link leads to.
    ///
    /// # Errors
    /// If the path leads out, or the system does not remove it.
    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(self.entry(path)?)
    }

    /// Removes a directory that is empty.
    ///
    /// # Errors
    /// As [`Root::remove_file`].
    pub fn remove_directory(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(self.entry(path)?)
    }

    /// A name in the directory that it leads into, itself not followed.
    fn entry(&self, path: &Path) -> io::Result<PathBuf> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        Ok(self.place(path.parent().unwrap_or(Path::new("")))?.join(name))
    }
}

/// A file that is being written in a [`Root`], before it takes its place.
#[derive(Debug)]
pub struct Replacement {
    /// Where its bytes go.
    pub file: StagedFile,
    target: PathBuf,
}

impl Replacement {
    /// Gives it its name.
    ///
    /// # Errors
    /// If the system does not do it.
    pub fn publish(self) -> io::Result<()> {
        self.file.publish(&self.target).map(drop)
    }
}

/// A path without a step is the working directory.
pub(crate) fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a path only goes down.
pub(crate) fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The permissions of a file that another one may take the place of; nothing if there is none.
///
/// # Errors
/// [`io::ErrorKind::ReadOnlyFilesystem`] if it may not be written, or if the system does not say what is there.
pub fn permissions_of(target: &Path) -> io::Result<Option<Permissions>> {
    match fs::metadata(target) {
        Ok(metadata) if metadata.permissions().readonly() => {
            Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "the file is read-only"))
        }
        Ok(metadata) => Ok(Some(metadata.permissions())),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A work tree with links of every kind, beside a directory with a file; the temporary directory around both.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::create_dir_all(root.join("in/deep")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        fs::create_dir(place.path().join("out")).unwrap();
        fs::write(place.path().join("out/victim"), "old").unwrap();
        fs::write(root.join("in/file"), "old").unwrap();
        for (target, link) in [
            ("../out", "up"),
            ("../out/victim", "victim"),
            ("../nowhere", "dangling"),
            ("in", "down"),
            ("in/file", "inner"),
            ("loop", "loop"),
            ("../../out/victim", "in/victim"),
            ("../root/in/file", "around"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(root.join("in/file"), root.join("absolute")).unwrap();
        (place, root)
    }

    #[test]
    fn nothing_is_written_outside() {
        let (place, path) = place();
        let root = Root::open(&path).unwrap();
        let outside = place.path().join("out/new").display().to_string();
        for name in [
            "victim",
            "up/victim",
            "up/new",
            "up/new/new",
            "dangling",
            "dangling/x",
            "down/victim",
            "../out/victim",
            "in/../../out/victim",
            "new/../../out/x",
            outside.as_str(),
        ] {
            let name = Path::new(name);
            for error in [
                root.write(name, b"new").unwrap_err(),
                root.create_directory(&name.join("d")).unwrap_err(),
                root.remove_file(&name.join("x")).unwrap_err(),
            ] {
                assert!(leads_out(&error) || is_absent(&error), "{name:?}: {error}");
            }
            assert!(leads_out(&root.replace(name).unwrap_err()), "{name:?}");
        }
        assert!(root.write(Path::new("loop"), b"new").is_err());
        assert_eq!(fs::read_to_string(place.path().join("out/victim")).unwrap(), "old");
        assert_eq!(fs::read_dir(place.path().join("out")).unwrap().count(), 1);
        // Git's own files are none of the work tree's, unless they are named.
        fs::write(path.join(".git/config"), "").unwrap();
        symlink(".git/config", path.join("config")).unwrap();
        assert!(leads_out(&root.replace(Path::new("config")).unwrap_err()));
        assert!(root.place(Path::new(".git/config")).is_ok());
        let trusting = Root::open(&path).unwrap().following(true);
        trusting.write(Path::new("up/victim"), b"new").unwrap();
        assert_eq!(fs::read_to_string(place.path().join("out/victim")).unwrap(), "new");
        // A link is removed itself.
        root.remove_file(Path::new("victim")).unwrap();
        assert!(place.path().join("out/victim").exists());
    }

    #[test]
    fn links_inside_are_followed() {
        let (_place, path) = place();
        let root = Root::open(&path).unwrap();
        fs::set_permissions(path.join("in/file"), Permissions::from_mode(0o640)).unwrap();
        let absolute = path.join("in/file");
        let names = ["inner", "down/file", "absolute", "around", "in/../in/file", absolute.to_str().unwrap()];
        for (index, name) in names.iter().enumerate() {
            let text = index.to_string();
            root.write(Path::new(name), text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(path.join("in/file")).unwrap(), text, "{name}");
        }
        assert!(path.join("inner").is_symlink());
        assert_eq!(fs::metadata(path.join("in/file")).unwrap().permissions().mode() & 0o777, 0o640);
        root.write(Path::new("down/new/file"), b"new").unwrap();
        assert_eq!(fs::read_to_string(path.join("in/new/file")).unwrap(), "new");
        fs::set_permissions(path.join("in/file"), Permissions::from_mode(0o440)).unwrap();
        assert_eq!(
            root.write(Path::new("inner"), b"x").unwrap_err().kind(),
            io::ErrorKind::ReadOnlyFilesystem
        );
        fs::create_dir(path.join("empty")).unwrap();
        root.remove_directory(Path::new("empty")).unwrap();
    }

    #[test]
    fn roots_are_made_with_all_above_them() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b");
        assert_eq!(Root::open(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        Root::create_around(&path.join("file")).unwrap().write(Path::new("file"), b"x").unwrap();
        assert_eq!(Root::open(&path.join("file")).unwrap_err().kind(), io::ErrorKind::NotADirectory);
        for here in ["", "."] {
            let here = Path::new(here);
            assert_eq!(Root::create(here).unwrap().path(), fs::canonicalize(".").unwrap());
        }
        Root::create_private(&place.path().join("c/d")).unwrap();
        assert_eq!(fs::metadata(place.path().join("c")).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
