//! Output to a file: all of it or nothing, staged beside it; and to standard output.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use fbc_staging::StagedFile;

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
    write_file(path, write)?;
    if fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
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

/// Writes a file without a word about it.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // A device such as /dev/stdout cannot be renamed over.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let file = fs::OpenOptions::new().write(true).open(path);
        let mut out = BufWriter::new(file.map_err(|error| failure(path, &error))?);
        write(&mut out)?;
        return out.flush().map_err(|error| failure(path, &error));
    }
    let file = StagedFile::beside(path).map_err(|error| failure(path, &error))?;
    let mut out = BufWriter::with_capacity(256 << 10, file);
    write(&mut out)?;
    let file = out.into_inner().map_err(|error| failure(path, error.error()))?;
    file.publish(path).map(drop).map_err(|error| failure(path, &error))
}

/// Writes a digest to standard output, and to a file if one is named.
pub(crate) fn write_digest(path: Option<&Path>, digest: &str) -> Result<(), Failure> {
    if let Some(path) = path {
        write_file(path, |out| Ok(out.write_all(digest.as_bytes())?))?;
    }
    let mut out = terminal::stdout();
    writeln!(out, "{digest}")?;
    Ok(out.flush()?)
}

/// Refuses a file whose directory does not exist, before work that it would be too late for.
pub(crate) fn check_folder_of(path: Option<&Path>) -> Result<(), Failure> {
    let folder = path.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match (path, folder.map(fs::metadata)) {
        (Some(path), Some(Err(error))) => Err(failure(path, &error)),
        _ => Ok(()),
    }
}

/// Replaces files where they lie, behind symbolic links too, with their permissions; a file without bytes
/// is removed, one that does not exist is made. All are written before the first takes its place.
pub(crate) fn replace_files<'f>(
    files: impl IntoIterator<Item = (&'f Path, Option<&'f [u8]>)>,
) -> Result<(), Failure> {
    let mut ready = Vec::new();
    let mut gone = Vec::new();
    for (path, bytes) in files {
        let Some(bytes) = bytes else {
            gone.push(path);
            continue;
        };
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        ready.push((prepare(&target, bytes)?, target));
    }
    for (file, target) in ready {
        file.publish(&target).map_err(|error| failure(&target, &error))?;
    }
    for path in gone {
        fs::remove_file(path).map_err(|error| Failure::io("remove", path, &error))?;
    }
    Ok(())
}

/// Writes the bytes of a file beside it.
fn prepare(target: &Path, bytes: &[u8]) -> Result<StagedFile, Failure> {
    let old = fs::metadata(target).ok().map(|metadata| metadata.permissions());
    if old.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(Failure::new(format!("{} is read-only", target.display()))
            .help("make it writable, or write elsewhere with --output-file"));
    }
    let mut file = StagedFile::beside(target).map_err(|error| failure(target, &error))?;
    let written = file.write_all(bytes).and_then(|()| match old {
        Some(permissions) => file.as_file()?.set_permissions(permissions),
        None => Ok(()),
    });
    written.and_then(|()| file.as_file()?.sync_all()).map_err(|error| failure(target, &error))?;
    Ok(file)
}

/// Writes a file that must not exist yet; `help` says what to do if it does.
pub(crate) fn write_new_file(path: &Path, bytes: &[u8], help: &str) -> Result<(), Failure> {
    let mut file = StagedFile::beside(path).map_err(|error| failure(path, &error))?;
    file.write_all(bytes).map_err(|error| failure(path, &error))?;
    match file.publish_new(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Failure::new(format!("{} already exists", path.display())).help(help))
        }
        Err(error) => Err(failure(path, &error)),
    }
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::io("write", path, error)
}
