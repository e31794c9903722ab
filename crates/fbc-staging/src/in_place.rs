//! Files that have their names while they are written: their bytes count before they are whole.
//!
//! Symbolic links at the end of their paths are refused, but for those that whoever runs the program names.

use std::fs::{File, OpenOptions};
use std::io;
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

/// A device or pipe that whoever runs the program names, such as `/dev/stdout`: nothing can take its place.
///
/// # Errors
/// If the system does not open it.
pub fn device(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
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
}
