//! Where commands keep what they need only while they run.

use std::env;

use fbc_staging::StagedDirectory;

use crate::failure::Failure;

/// A new directory where the system keeps temporary files. It is removed when this is dropped, or when a signal ends the
/// process.
pub(crate) fn directory() -> Result<StagedDirectory, Failure> {
    let place = env::temp_dir();
    StagedDirectory::scratch(&place).map_err(|error| {
        Failure::io("write to", &place, &error).help("TMPDIR names the directory for temporary files")
    })
}
