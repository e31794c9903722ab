//! Files that are named, within budgets.

use std::path::Path;

use fbc_source::{Error, input_file};

use crate::settings::Settings;

/// The bytes of a file.
///
/// # Errors
/// If it cannot be read, or a budget is used up.
pub fn read(path: &Path, settings: &Settings) -> Result<Vec<u8>, Error> {
    input_file::read(path, settings.budgets.input)
}

/// The text of a file.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, settings: &Settings) -> Result<String, Error> {
    input_file::read_text(path, settings.budgets.input)
}
