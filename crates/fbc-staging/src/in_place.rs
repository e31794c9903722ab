//! Files that have their names while they are written: their bytes count before they are whole.
//!
//! Symbolic links at the end of their paths are refused, but for those that whoever runs the program names.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd as _, RawFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// A file that processes share, such as a lock or a blob that a later run completes: what it holds stays.
///
/// # Errors
/// If it is a symbolic link, or the system does not open it.
pub fn shared(path: &Path, mode: u32) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(mode).custom_flags(flags).open(path)
}

/// The end of a file that whoever runs the program names.
///
/// # Errors
/// If the system does not open it.
pub fn end_of(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

/// A device or pipe that whoever runs the program names: nothing can take its place.
///
/// # Errors
/// If the system does not open it.
pub fn device(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// Where a system lists the files that the process that asks has open.
const DESCRIPTORS: [&str; 3] = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"];

/// How many links are followed to one of them.
const MOST_LINKS: usize = 40;

/// What this process has open, if a path leads to that by its number, such as `/dev/stdout` or `/dev/fd/3`. It is written
/// where whoever opened it stands; a file with its path would begin anew, or take its place.
pub fn descriptor(path: &Path) -> Option<io::Result<File>> {
    let number = number_of(path)?;
    Some(match number {
        1 => io::stdout().as_fd().try_clone_to_owned().map(File::from),
        2 => io::stderr().as_fd().try_clone_to_owned().map(File::from),
        _ => duplicate(number).or_else(|_| OpenOptions::new().append(true).open(path)),
    })
}

fn number_of(path: &Path) -> Option<RawFd> {
    let mut path = std::path::absolute(path).ok()?;
    for _ in 0..MOST_LINKS {
        let folder = fs::canonicalize(path.parent()?).ok()?;
        let name = path.file_name()?;
        if DESCRIPTORS.iter().any(|list| fs::canonicalize(list).is_ok_and(|list| list == folder)) {
            return name.to_str()?.parse().ok();
        }
        path = folder.join(fs::read_link(folder.join(name)).ok()?);
    }
    None
}

#[cfg(target_os = "linux")]
fn duplicate(number: RawFd) -> io::Result<File> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok(pidfd_getfd(own, number, PidfdGetfdFlags::empty())?.into())
}

#[cfg(not(target_os = "linux"))]
fn duplicate(_: RawFd) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn links_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        for text in ["a", "b"] {
            let mut file = shared(&path, 0o600).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let link = place.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(shared(&link, 0o600).is_err());
        end_of(&link).unwrap().write_all(b"c").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "bc");
        assert!(device(&place.path().join("none")).is_err());
    }

    /// Each writer goes on where the other one stopped.
    #[test]
    fn descriptors_are_written_where_they_stand() {
        use std::os::fd::AsRawFd as _;

        let place = tempfile::tempdir().unwrap();
        let (path, link) = (place.path().join("file"), place.path().join("link"));
        let mut file = File::create(&path).unwrap();
        let number = file.as_raw_fd();
        symlink(format!("/proc/self/fd/{number}"), &link).unwrap();
        file.write_all(b"a").unwrap();
        for named in [format!("/dev/fd/{number}").as_ref(), link.as_path()] {
            descriptor(named).unwrap().unwrap().write_all(b"b").unwrap();
            file.write_all(b"c").unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "abcbc");
        assert_eq!(
            (number_of("/dev/stdout".as_ref()), number_of("/dev/stderr".as_ref())),
            (Some(1), Some(2))
        );
        symlink(&path, place.path().join("plain")).unwrap();
        for other in
            [path.as_path(), &place.path().join("plain"), &place.path().join("1"), "/dev/null".as_ref()]
        {
            assert_eq!(number_of(other), None, "{}", other.display());
        }
    }
}
