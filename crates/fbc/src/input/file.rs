//! Files that flags name, within budgets.

use std::io::{self, Read as _};
use std::path::Path;

use fbc_model::tree::read_file;
use fbc_source::{Error, input_file};

use crate::failure::Failure;
use crate::settings::Settings;

/// The bytes of a file.
#[cfg(any(feature = "query", feature = "sign"))]
pub(crate) fn read(path: &Path, settings: &Settings) -> Result<Vec<u8>, Error> {
    input_file::read(path, settings.budgets.input)
}

/// The text of a file.
pub(crate) fn read_text(path: &Path, settings: &Settings) -> Result<String, Error> {
    input_file::read_text(path, settings.budgets.input)
}

/// The bytes of a file of a catalog, or of standard input for `-`.
pub(crate) fn read_or_standard_input(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    read_file(path).map_err(|error| Failure::io("read", path, &error))
}
