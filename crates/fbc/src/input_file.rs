//! Files that flags name, within the budgets of this process.

use std::path::Path;

use fbc_source::{Error, input_file};

use crate::limits;

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    input_file::read(path, limits::input())
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    input_file::read_text(path, limits::input())
}
