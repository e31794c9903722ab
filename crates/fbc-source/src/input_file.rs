//! Files that flags name. They may be pipes, such as `<(command)`, and devices, which need not have an end. Of both kinds
//! no more is read than a budget allows.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::error::Error;

/// The most bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputLimits {
    /// Of a regular file.
    pub file: u64,
    /// Of what need not have an end.
    pub stream: u64,
}

/// The bytes of a file.
///
/// # Errors
/// If it cannot be read, or a budget is used up.
pub fn read(path: &Path, limits: InputLimits) -> Result<Vec<u8>, Error> {
    let failed = |error: io::Error| Error::io("read", path, &error);
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let (budget, most) = match metadata.is_file() {
        true => ("input-file-bytes", limits.file),
        false => ("input-bytes", limits.stream),
    };
    let too_large = || Error::budget(budget, format!("{} has more than {most} bytes", path.display()));
    if metadata.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The text of a file.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, limits: InputLimits) -> Result<String, Error> {
    let not_text =
        |_| Error::io("read", path, &io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"));
    String::from_utf8(read(path, limits)?).map_err(not_text)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_given_up() {
        let limits = InputLimits { file: 1 << 20, stream: 1 << 16 };
        let read = |path: &Path| read(path, limits);
        let read_text = |path: &Path| read_text(path, limits);
        let failure = read(Path::new("/dev/zero")).unwrap_err().line();
        assert!(failure.contains("(limit input-bytes)"), "{failure}");
        assert_eq!(read(Path::new("/dev/null")).ok(), Some(Vec::new()));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [b'a', 0xFF]).unwrap();
        assert_eq!(read(file.path()).ok(), Some(vec![b'a', 0xFF]));
        assert!(read_text(file.path()).unwrap_err().line().ends_with("it is not UTF-8 text"));
        // A hole takes no room on the disk.
        file.as_file().set_len(limits.file + 1).unwrap();
        let failure = read(file.path()).unwrap_err().line();
        assert!(failure.contains("(limit input-file-bytes)"), "{failure}");
    }
}
