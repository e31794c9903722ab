//! Files that flags name, and standard input.

use std::io::{self, Read as _};
use std::path::Path;

use fbc_model::tree::read_file;

use crate::failure::Failure;

/// The bytes of a file of a catalog, or of standard input for `-`.
pub(crate) fn read_or_standard_input(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    read_file(path).map_err(|error| Failure::io("read", path, &error))
}
