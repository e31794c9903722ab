//! Output to a file, which is reported, and to standard output.

use std::io::Write;
use std::path::Path;

use fbc_app::output::file::write_file;
#[cfg(feature = "cluster")]
use fbc_app::output::file::write_private_file;

use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Writes to standard output. A reader that has seen enough is no failure: what the command found does not depend on that.
pub(crate) fn write_standard_output(
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut out = terminal::stdout();
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    written.or_else(|failure| if failure.is_closed_output() { Ok(()) } else { Err(failure) })
}

/// Writes to a file that the user named, which is reported, or to standard output if there is none.
pub(crate) fn write_output(
    settings: &Settings,
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(path) = path else { return write_standard_output(write) };
    if write_file(path, settings, write)? {
        report_written(path, settings);
    }
    Ok(())
}

/// Says on standard error that a file was written, unless the user wants quiet.
pub(crate) fn report_written(path: &Path, settings: &Settings) {
    if !settings.quiet {
        terminal::tell(format_args!("wrote {}", path.display()));
    }
}

/// As [`write_output`] for what nobody else may read.
#[cfg(feature = "cluster")]
pub(crate) fn write_private_output(
    settings: &Settings,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if write_private_file(path, settings, write)? {
        report_written(path, settings);
    }
    Ok(())
}

/// Writes a digest to standard output, and to a file if one is named.
#[cfg(feature = "registry")]
pub(crate) fn write_digest(path: Option<&Path>, digest: &str, settings: &Settings) -> Result<(), Failure> {
    if let Some(path) = path {
        write_file(path, settings, |out| Ok::<_, Failure>(out.write_all(digest.as_bytes())?))?;
    }
    let mut out = terminal::stdout();
    writeln!(out, "{digest}")?;
    Ok(out.flush()?)
}
