//! Where commands keep what they need only while they run.

use std::env;

use fbc_source::Error;
use fbc_source::reading::scratch_directory;
use fbc_staging::StagedDirectory;

/// A new directory where the system keeps temporary files. It is removed when this is dropped, or when a signal ends the
/// process.
pub(crate) fn directory() -> Result<StagedDirectory, Error> {
    scratch_directory(&env::temp_dir())
}
