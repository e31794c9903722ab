//! Files that flags name. They may be pipes, such as `<(command)`, and devices, which need not have an end. Of both kinds
//! no more is read than a budget allows.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::failure::Failure;
use crate::limits;

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: io::Error| Failure::io("read", path, &error);
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let budget = if metadata.is_file() { "input-file-bytes" } else { "input-bytes" };
    let most = limits::most(budget);
    let too_large = || limits::failure(budget, format!("{} has more than {most} bytes", path.display()));
    if metadata.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let not_text =
        |_| Failure::io("read", path, &io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"));
    String::from_utf8(read(path)?).map_err(not_text)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_given_up() {
        let failure = read(Path::new("/dev/zero")).unwrap_err().line();
        assert!(failure.contains("(budget input-bytes)"), "{failure}");
        assert_eq!(read(Path::new("/dev/null")).ok(), Some(Vec::new()));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [b'a', 0xFF]).unwrap();
        assert_eq!(read(file.path()).ok(), Some(vec![b'a', 0xFF]));
        assert!(read_text(file.path()).unwrap_err().line().ends_with("it is not UTF-8 text"));
        // A hole takes no room on the disk.
        file.as_file().set_len(limits::most("input-file-bytes") + 1).unwrap();
        let failure = read(file.path()).unwrap_err().line();
        assert!(failure.contains("(budget input-file-bytes)"), "{failure}");
    }
}
