//! Output to a folder: all of it or nothing, staged beside it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fbc_source::Error;
use fbc_staging::{Root, StagedDirectory};

use crate::output::file::{replace_files, root_for};
use crate::settings::Settings;

/// What happens to a directory that is there already.
#[derive(Clone, Copy, Debug)]
pub enum Existing {
    /// It must be empty.
    Keep,
    /// It goes away if all its files are such as the command writes, which their paths in it tell.
    Replace {
        /// Whether the command writes such a file.
        is_ours: fn(&Path) -> bool,
    },
    /// Files are written into it; nothing is deleted.
    Fill,
}

/// Checks that a directory may be written, before the work is done.
pub fn check_free(folder: &Path, existing: Existing) -> Result<(), Error> {
    let metadata = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io("write", folder, &error)),
        Ok(metadata) => metadata,
    };
    if !metadata.is_dir() {
        return Err(Error::new(format!("{} already exists and is not a directory", folder.display()))
            .help("name another directory"));
    }
    let is_empty = fs::read_dir(folder).map_err(|error| Error::io("read", folder, &error))?.next().is_none();
    match existing {
        _ if is_empty => return Ok(()),
        Existing::Fill => return Ok(()),
        Existing::Replace { is_ours } => {
            return match foreign_file(folder, Path::new(""), is_ours)? {
                None => Ok(()),
                Some(path) => Err(Error::new(format!(
                    "the directory {} is not replaced: {} was not written by this command",
                    folder.display(),
                    folder.join(path).display()
                ))
                .help("name another directory, or remove what is to go")),
            };
        }
        Existing::Keep => {}
    }
    Err(Error::new(format!("the directory {} is not empty", folder.display())).help(
        "name another directory, or write over what is there with --force if the command has that flag",
    ))
}

/// The first file below a directory, in the order of names, that the command does not write. Links are files.
fn foreign_file(folder: &Path, below: &Path, is_ours: fn(&Path) -> bool) -> Result<Option<PathBuf>, Error> {
    let place = folder.join(below);
    let failure = |error: io::Error| Error::io("read", &place, &error);
    let mut entries =
        fs::read_dir(&place).map_err(failure)?.collect::<Result<Vec<_>, _>>().map_err(failure)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = below.join(entry.file_name());
        if entry.file_type().map_err(failure)?.is_dir() {
            if let Some(foreign) = foreign_file(folder, &path, is_ours)? {
                return Ok(Some(foreign));
            }
        } else if !is_ours(&path) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Refuses a directory that is to be replaced although something lies in it that the command works with.
pub fn check_apart<'p>(
    folder: &Path,
    needed: impl IntoIterator<Item = (&'static str, &'p Path)>,
) -> Result<(), Error> {
    let Ok(target) = folder.canonicalize() else { return Ok(()) };
    for (what, path) in needed {
        if path.canonicalize().is_ok_and(|path| path.starts_with(&target)) {
            return Err(Error::new(format!(
                "the directory {} is not replaced: {what} ({}) is in it",
                folder.display(),
                path.display()
            ))
            .help("name another directory"));
        }
    }
    Ok(())
}

/// Writes files to a directory, by their paths in it. Directories on the way are created.
pub fn write_folder(
    folder: &Path,
    files: &[(PathBuf, Vec<u8>)],
    existing: Existing,
    settings: &Settings,
) -> Result<(), Error> {
    check_free(folder, existing)?;
    if matches!(existing, Existing::Fill) && folder.exists() {
        let root = root_for(folder, settings)?;
        return replace_files(
            &root,
            files.iter().map(|(path, bytes)| (path.as_path(), Some(bytes.as_slice()))),
        );
    }
    let failure = |error: io::Error| Error::io("write", folder, &error);
    Root::create_around(folder).map_err(failure)?;
    // It vanishes with all its files if anything fails before it has its name.
    let work = StagedDirectory::beside(folder).map_err(failure)?;
    for (path, bytes) in files {
        work.create_file(path).and_then(|mut file| file.write_all(bytes)).map_err(failure)?;
    }
    if fs::symlink_metadata(folder).is_err() {
        work.publish(folder).map_err(failure)
    } else {
        work.replace(folder).map_err(failure)
    }
}
