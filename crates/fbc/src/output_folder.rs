//! Output to a folder: all of it or nothing, under a temporary name that is renamed at the end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output_file::write_output;

/// What happens to a folder that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It must be empty.
    Keep,
    /// It goes away, whatever it holds.
    Replace,
    /// Files are written into it one by one; nothing is deleted.
    Fill,
}

/// Checks that a folder may be written, before the work is done.
pub(crate) fn check_free(folder: &Path, existing: Existing) -> Result<(), Failure> {
    let metadata = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::io("write", folder, &error)),
        Ok(metadata) => metadata,
    };
    if !metadata.is_dir() {
        return Err(Failure::new(format!("{} is there already and is no folder", folder.display()))
            .help("name another folder"));
    }
    let is_empty =
        fs::read_dir(folder).map_err(|error| Failure::io("read", folder, &error))?.next().is_none();
    if is_empty || existing != Existing::Keep {
        return Ok(());
    }
    Err(Failure::new(format!("the folder {} is not empty", folder.display()))
        .help("name another folder; --force, where a command has it, writes all the same"))
}

/// Writes files to a folder, by their paths in it. Folders on the way are created.
pub(crate) fn write_folder(
    folder: &Path,
    files: &[(PathBuf, Vec<u8>)],
    existing: Existing,
) -> Result<(), Failure> {
    check_free(folder, existing)?;
    if existing == Existing::Fill && folder.exists() {
        return fill(folder, files);
    }
    let failure = |error: io::Error| Failure::io("write", folder, &error);
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(failure)?;
    // It vanishes with all its files if anything fails before it is renamed.
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fbc-");
    #[cfg(unix)]
    {
        // As any new folder: the umask takes away what it must.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    let work = builder.tempdir_in(parent).map_err(failure)?;
    for (path, bytes) in files {
        let path = work.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failure)?;
        }
        fs::write(&path, bytes).map_err(failure)?;
    }
    if fs::symlink_metadata(folder).is_err() {
        fs::rename(work.path(), folder).map_err(failure)?;
    } else {
        // Two renames, and the old folder is gone only when the new one stands.
        let aside = builder.tempdir_in(parent).map_err(failure)?;
        let old = aside.path().join("old");
        fs::rename(folder, &old).map_err(failure)?;
        if let Err(error) = fs::rename(work.path(), folder) {
            // Best effort: the message is about what went wrong first.
            let _ = fs::rename(&old, folder);
            return Err(failure(error));
        }
    }
    let _ = work.keep();
    Ok(())
}

fn fill(folder: &Path, files: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    for (path, bytes) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| Failure::io("create", parent, &error))?;
        }
        write_output(Some(&path), |out| Ok(out.write_all(bytes)?))?;
    }
    Ok(())
}
