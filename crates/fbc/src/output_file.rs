//! Output to a file: all of it or nothing, under a temporary name that is renamed at the end.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::terminal;

/// Writes to a file, or to standard output if there is none.
pub(crate) fn write_output(
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(path) = path else {
        let mut out = terminal::stdout();
        write(&mut out)?;
        return Ok(out.flush()?);
    };
    // A device such as /dev/stdout cannot be renamed over.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let file = fs::OpenOptions::new().write(true).open(path);
        let mut out = BufWriter::new(file.map_err(|error| failure(path, &error))?);
        write(&mut out)?;
        return out.flush().map_err(|error| failure(path, &error));
    }
    let file = temporary_file(path)?;
    let mut out = BufWriter::with_capacity(256 << 10, file);
    write(&mut out)?;
    let file = out.into_inner().map_err(|error| failure(path, error.error()))?;
    file.persist(path).map_err(|error| failure(path, &error.error))?;
    Ok(())
}

/// Writes a file that must not be there yet.
pub(crate) fn write_new_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = temporary_file(path)?;
    file.write_all(bytes).map_err(|error| failure(path, &error))?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Failure::new(format!("{} is there already", path.display()))
                .help("remove it first if it is to be made anew"))
        }
        Err(error) => Err(failure(path, &error.error)),
    }
}

/// A new file beside the one that it becomes, with the permissions of any new file.
fn temporary_file(path: &Path) -> Result<tempfile::NamedTempFile, Failure> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fbc-");
    #[cfg(unix)]
    {
        // As any new file: the umask takes away what it must.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(&folder).map_err(|error| failure(path, &error))
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    let failure = Failure::io("write", path, error);
    if error.kind() == io::ErrorKind::NotFound {
        failure.help("its folder does not exist; create it first")
    } else {
        failure
    }
}
