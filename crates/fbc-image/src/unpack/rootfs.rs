//! The directory that layers are applied to: links are followed within it, whiteouts take away what lower layers left.
//!
//! Whiteouts: `opencontainers/image-spec:layer.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use fbc_staging::remove_directory;
use oci_spec::image::Digest;

use super::limits::{Limits, PassedLimit, Steps};
use crate::error::{EntryFault, ImageError};
use crate::limits::WHITEOUT_STEPS;

mod escape;

/// What the names of whiteouts begin with.
const WHITEOUT: &str = ".wh.";
/// The whiteout of all that lower layers have in its directory.
pub(crate) const OPAQUE: &str = ".wh..wh..opq";
/// Links followed on one path, at most; as Linux has it.
const MAX_LINKS: usize = 40;

/// Why an entry is not applied.
#[derive(Debug)]
pub(super) enum Failure {
    Refused(EntryFault),
    System(io::Error),
}

impl From<EntryFault> for Failure {
    fn from(fault: EntryFault) -> Self {
        Self::Refused(fault)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// A directory in which an image comes to be. Nobody else writes to it.
pub(super) struct Rootfs<'f> {
    folder: &'f Path,
    /// What the layer at hand has put there, by real paths.
    of_layer: BTreeSet<PathBuf>,
    /// Directories of the layer at hand that hold nothing yet, with their modes. They are made when something comes into
    /// them, or at the end of the layer, so that a layer with too many is refused before any is made.
    empty: BTreeMap<PathBuf, u32>,
    /// Where opaque whiteouts of the layer at hand were: nothing of lower layers is left there.
    cleared: BTreeSet<PathBuf>,
    /// The directory found last, by its path in archives; entries of one directory follow each other.
    last: Option<(PathBuf, PathBuf)>,
    has_links: bool,
    steps: Steps,
    layer: Option<Digest>,
}

/// Whether a whiteout takes away a directory or one that it lies in.
pub(super) fn whiteout_covers(path: &Path, below: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    let folder = path.parent().unwrap_or(Path::new(""));
    match name.strip_prefix(WHITEOUT) {
        _ if name == OPAQUE => below.starts_with(folder),
        Some(hidden) if !hidden.starts_with(WHITEOUT) => below.starts_with(folder.join(hidden)),
        _ => false,
    }
}

impl<'f> Rootfs<'f> {
    pub(super) fn new(folder: &'f Path, limits: Limits) -> Self {
        Self {
            folder,
            of_layer: BTreeSet::new(),
            cleared: BTreeSet::new(),
            empty: BTreeMap::new(),
            last: None,
            has_links: false,
            steps: Steps::new(limits),
            layer: None,
        }
    }

    pub(super) fn begin_layer(&mut self, layer: &Digest) {
        self.of_layer.clear();
        self.cleared.clear();
        self.last = None;
        self.layer = Some(layer.clone());
    }

    /// A limit as an error of the system, which whoever called takes apart again.
    fn within(&self, spent: Result<(), PassedLimit>) -> io::Result<()> {
        let layer = self.layer.as_ref();
        spent.map_err(|limit| match layer {
            Some(layer) => io::Error::other(ImageError::Limit { layer: layer.clone(), limit }),
            None => io::Error::other(limit),
        })
    }

    fn walk(&mut self, steps: u64) -> io::Result<()> {
        let spent = self.steps.walk(steps);
        self.within(spent)
    }

    /// Makes what is still to be made of the layer at hand.
    pub(super) fn end_layer(&mut self) -> Result<(), ImageError> {
        for (real, mode) in std::mem::take(&mut self.empty) {
            let path = real.strip_prefix(self.folder).unwrap_or(&real);
            make_folder(&real, mode).map_err(ImageError::io("unpack", path))?;
        }
        Ok(())
    }

    /// Makes a directory; one that is there stays with what it holds.
    pub(super) fn folder(&mut self, path: &Path, mode: u32) -> Result<(), Failure> {
        let Some(real) = self.place(path)? else { return Ok(()) };
        // Whoever unpacks must be able to write into it, and to remove it.
        let mode = mode & 0o777 | 0o700;
        match fs::symlink_metadata(&real) {
            Ok(metadata) if metadata.is_dir() => set_mode(&real, mode)?,
            Ok(_) => {
                self.remove(&real)?;
                make_folder(&real, mode)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.empty.insert(real.clone(), mode);
            }
            Err(error) => return Err(error.into()),
        }
        self.of_layer.insert(real);
        Ok(())
    }

    /// Writes a file.
    pub(super) fn file(
        &mut self,
        path: &Path,
        mode: u32,
        modified: u64,
        content: &mut dyn Read,
    ) -> Result<(), Failure> {
        let Some(real) = self.place(path)? else { return Ok(()) };
        self.empty.remove(&real);
        let mut file = match File::create_new(&real) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.remove(&real)?;
                File::create_new(&real)?
            }
            created => created?,
        };
        io::copy(content, &mut file)?;
        set_mode(&real, mode & 0o777 | 0o600)?;
        if let Some(time) = UNIX_EPOCH.checked_add(Duration::from_secs(modified)) {
            // Not every system takes every time, and nothing depends on it.
            let _ = file.set_modified(time);
        }
        self.of_layer.insert(real);
        Ok(())
    }

    /// Makes a symbolic link. One from the root of the image becomes relative, so that it leads to the same file
    /// wherever the directory lies. `below` is the path of the directory in the image.
    pub(super) fn symlink(&mut self, path: &Path, to: &Path, below: &Path) -> Result<(), Failure> {
        let Some(real) = self.place(path)? else { return Ok(()) };
        self.remove(&real)?;
        let escapes = || Failure::Refused(EntryFault::LinkEscapes(to.display().to_string()));
        let to = match to.strip_prefix("/") {
            Err(_) => to.to_path_buf(),
            Ok(inner) => {
                let inner = inner.strip_prefix(below).map_err(|_| escapes())?;
                let from = real.parent().and_then(|parent| parent.strip_prefix(self.folder).ok());
                let mut relative: PathBuf =
                    from.unwrap_or(Path::new("")).components().map(|_| "..").collect();
                relative.push(inner);
                if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative }
            }
        };
        if to.as_os_str().is_empty() {
            return Err(escapes());
        }
        make_link(&to, &real)?;
        self.has_links = true;
        self.of_layer.insert(real);
        Ok(())
    }

    /// Makes another name for a file.
    pub(super) fn hard_link(&mut self, path: &Path, to: &Path) -> Result<(), Failure> {
        let Some(real) = self.place(path)? else { return Ok(()) };
        let missing = || Failure::Refused(EntryFault::HardLink(to.display().to_string()));
        let name = to.file_name().ok_or_else(missing)?;
        let source = self.parent_of(to, false).map_err(|_| missing())?.join(name);
        if !fs::symlink_metadata(&source).is_ok_and(|metadata| metadata.is_file()) {
            return Err(missing());
        }
        if source != real {
            self.remove(&real)?;
            fs::hard_link(&source, &real)?;
        }
        self.of_layer.insert(real);
        Ok(())
    }

    /// Where an entry goes; `None` if it is a whiteout, which is done then, or the directory itself.
    fn place(&mut self, path: &Path) -> Result<Option<PathBuf>, Failure> {
        let Some(name) = path.file_name() else { return Ok(None) };
        let parent = self.parent_of(path, true)?;
        let Some(whiteout) = name.to_str().and_then(|name| name.strip_prefix(WHITEOUT)) else {
            return Ok(Some(parent.join(name)));
        };
        if name == OPAQUE {
            if !parent.ancestors().any(|folder| self.cleared.contains(folder)) {
                let below = fs::read_dir(&parent)?.collect::<io::Result<Vec<_>>>()?;
                for entry in below {
                    self.remove_lower(&entry.path())?;
                }
                self.cleared.insert(parent);
            }
        } else if whiteout.starts_with(WHITEOUT) {
            // Marks of an old file system, with no meaning for who unpacks.
        } else if matches!(whiteout, "" | "." | "..") {
            return Err(EntryFault::PathEscapes.into());
        } else {
            self.remove_lower(&parent.join(whiteout))?;
        }
        Ok(None)
    }

    /// Removes what lower layers have put at a path; whether anything of this layer stays.
    fn remove_lower(&mut self, real: &Path) -> Result<bool, Failure> {
        self.walk(WHITEOUT_STEPS)?;
        let metadata = match fs::symlink_metadata(real) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            metadata => metadata?,
        };
        self.last = None;
        let is_of_layer = self.of_layer.contains(real);
        if !metadata.is_dir() {
            if !is_of_layer {
                fs::remove_file(real)?;
            }
            return Ok(is_of_layer);
        }
        let first_below = self.of_layer.range(real.to_path_buf()..).next();
        if !first_below.is_some_and(|path| path.starts_with(real)) {
            remove_directory(real)?;
            return Ok(false);
        }
        // What stays open would be one file of the system for each level.
        let below = fs::read_dir(real)?.collect::<io::Result<Vec<_>>>()?;
        for entry in below {
            self.remove_lower(&entry.path())?;
        }
        Ok(true)
    }

    /// Removes whatever is at a path, for what comes in its place.
    fn remove(&mut self, real: &Path) -> Result<(), Failure> {
        let below = self.empty.range(real.to_path_buf()..).map(|(folder, _)| folder);
        let below: Vec<PathBuf> = below.take_while(|folder| folder.starts_with(real)).cloned().collect();
        for folder in below {
            self.empty.remove(&folder);
        }
        let metadata = match fs::symlink_metadata(real) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            metadata => metadata?,
        };
        self.last = None;
        if metadata.is_dir() {
            remove_directory(real)?
        } else {
            fs::remove_file(real)?
        }
        Ok(())
    }

    /// The real directory of a path, with links followed within the image. Missing directories are made if asked for.
    fn parent_of(&mut self, path: &Path, make: bool) -> Result<PathBuf, Failure> {
        let wanted = path.parent().unwrap_or(Path::new(""));
        if let Some((known, real)) = &self.last
            && known == wanted
        {
            return Ok(real.clone());
        }
        let mut pending: Vec<PathBuf> =
            wanted.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
        let mut real = PathBuf::new();
        let mut links = 0;
        while let Some(part) = pending.pop() {
            match part.components().next() {
                Some(Component::Normal(_)) => {}
                Some(Component::ParentDir) => {
                    if !real.pop() {
                        return Err(EntryFault::PathEscapes.into());
                    }
                    continue;
                }
                _ => continue,
            }
            let here = self.folder.join(&real).join(&part);
            // The system walks along all of the path.
            self.walk(real.components().count() as u64 + 1)?;
            if let Some(mode) = self.empty.remove(&here) {
                make_folder(&here, mode)?;
            }
            match fs::symlink_metadata(&here) {
                Ok(metadata) if metadata.is_dir() => real.push(part),
                Ok(metadata) if metadata.is_symlink() => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(EntryFault::LinkLoop.into());
                    }
                    let to = fs::read_link(&here)?;
                    pending.extend(to.components().rev().map(|part| PathBuf::from(part.as_os_str())));
                }
                Ok(_) => {
                    let folder = real.join(part).display().to_string();
                    return Err(EntryFault::NoFolder(folder).into());
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && make => {
                    let spent = self.steps.make();
                    self.within(spent)?;
                    fs::create_dir(&here)?;
                    real.push(part);
                    self.of_layer.insert(here);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let real = self.folder.join(real);
        self.last = Some((wanted.to_path_buf(), real.clone()));
        Ok(real)
    }
}

/// Makes a directory, unless it is there under another spelling: some systems do not tell names apart by their case.
fn make_folder(real: &Path, mode: u32) -> io::Result<()> {
    match fs::create_dir(real) {
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists
                && fs::symlink_metadata(real).is_ok_and(|there| there.is_dir()) => {}
        made => made?,
    }
    set_mode(real, mode)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn make_link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn make_link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
