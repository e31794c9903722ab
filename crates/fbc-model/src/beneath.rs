//! Opens what lies below a directory so that nothing on the way leads out, whoever puts a link in the place of a directory
//! meanwhile: the system itself resolves the path.
//!
//! Source: openat2(2).

use std::fs::File;
use std::io;
use std::path::Path;

use crate::tree::TreeEntry;

/// What something is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To look at what it is, which has no effect on pipes and devices.
    Look,
    /// To read a file.
    Read,
    /// To list a directory.
    List,
}

/// Opens a path below a directory; nothing where the system cannot do that.
///
/// # Errors
/// The path cannot be opened. [`io::ErrorKind::CrossesDevices`] says that it leads out, or through a link from the root of
/// the file system.
#[cfg(target_os = "linux")]
pub(crate) fn open(root: &Path, path: &Path, purpose: Purpose) -> io::Result<Option<File>> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
    use rustix::io::Errno;

    /// Who renames directories on the way for ever keeps nobody.
    const ATTEMPTS: usize = 16;
    let flags = match purpose {
        Purpose::Look => OFlags::PATH,
        // What has become a pipe since it was looked at does not block.
        Purpose::Read => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
        Purpose::List => OFlags::RDONLY | OFlags::DIRECTORY,
    };
    let directory = open(here(root), OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..ATTEMPTS {
        match openat2(&directory, here(path), flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
            Ok(opened) => return Ok(Some(File::from(opened))),
            Err(Errno::AGAIN | Errno::INTR) => {}
            // An old kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::XDEV.into())
}

/// An empty path is the directory itself.
#[cfg(target_os = "linux")]
fn here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// The entries of a directory that was opened, sorted by the bytes of their names.
///
/// # Errors
/// Whatever keeps the directory from being read.
#[cfg(target_os = "linux")]
pub(crate) fn entries(directory: &File) -> io::Result<Vec<TreeEntry>> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use rustix::fs::{AtFlags, Dir, FileType, statat};

    let mut entries = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = match entry.file_type() {
            // Not every file system says it.
            FileType::Unknown => {
                FileType::from_raw_mode(statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode)
            }
            kind => kind,
        };
        let name = OsStr::from_bytes(name.to_bytes()).into();
        entries.push(TreeEntry { name, is_directory: kind == FileType::Directory });
    }
    entries.sort_by(|a, b| a.name.as_os_str().cmp(b.name.as_os_str()));
    Ok(entries)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn open(_: &Path, _: &Path, _: Purpose) -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn entries(_: &File) -> io::Result<Vec<TreeEntry>> {
    Err(io::ErrorKind::Unsupported.into())
}
