//! Files that flags name. They may be pipes, such as `<(command)`, and devices; of those no more is read than a budget
//! allows, since they need not have an end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::failure::Failure;
use crate::limits;

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let most = limits::most("input-bytes");
    let failed = |error: io::Error| Failure::io("read", path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    if file.metadata().map_err(failed)?.is_file() {
        file.read_to_end(&mut bytes).map_err(failed)?;
        return Ok(bytes);
    }
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        let text = format!("{} is no regular file, and gives more than {most} bytes", path.display());
        return Err(limits::failure("input-bytes", text));
    }
    Ok(bytes)
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
    }
}
