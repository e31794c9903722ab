//! Output to a file: all of it or nothing, staged beside it; and to standard output.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use fbc_staging::{Replacement, Root, StagedFile, in_place, parent_of};

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

/// Writes a file that the user named, without a word about it.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if is_special(path) {
        let mut out = BufWriter::new(in_place::device(path).map_err(|error| failure(path, &error))?);
        write(&mut out)?;
        return out.flush().map_err(|error| failure(path, &error));
    }
    publish(path, StagedFile::beside(path), write).map(drop)
}

/// As [`write_output`] for what nobody else may read.
pub(crate) fn write_private_output(
    settings: &Settings,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if is_special(path) {
        return write_file(path, write);
    }
    publish(path, StagedFile::private(parent_of(path)), write)?;
    report_written(path, settings);
    Ok(())
}

/// A file that the user named for lines that come one after another, with the first ones; nobody else may read it.
pub(crate) fn begin_private_log(path: &Path, first: &[u8]) -> Result<File, Failure> {
    if is_special(path) {
        let device = in_place::device(path).and_then(|mut file| file.write_all(first).map(|()| file));
        return device.map_err(|error| failure(path, &error));
    }
    publish(path, StagedFile::private(parent_of(path)), |out| Ok(out.write_all(first)?))
}

/// A device such as /dev/stdout cannot be renamed over.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Writes a staged file, and gives it its name.
fn publish(
    path: &Path,
    staged: io::Result<StagedFile>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<File, Failure> {
    let mut out = BufWriter::with_capacity(256 << 10, staged.map_err(|error| failure(path, &error))?);
    write(&mut out)?;
    let file = out.into_inner().map_err(|error| failure(path, error.error()))?;
    file.publish(path).map_err(|error| failure(path, &error))
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

/// Replaces files in a directory by their paths in it, with the permissions that they have; a file without bytes is
/// removed, one that does not exist is made. All are written before the first takes its place. A path that leads out of
/// the directory through a symbolic link is refused, and nothing is written.
pub(crate) fn replace_files<'f>(
    root: &Root,
    files: impl IntoIterator<Item = (&'f Path, Option<&'f [u8]>)>,
) -> Result<(), Failure> {
    replace_all(files.into_iter().map(|(path, bytes)| (root, path.to_path_buf(), path, bytes)))
}

/// Edits files that belong to what the user named: a file, a catalog or a repository. As [`replace_files`] in the work
/// tree around what is named, or, without one, in the directory itself; anywhere if the user trusts the links.
pub(crate) fn edit_files<'f>(
    named: &Path,
    settings: &Settings,
    files: impl IntoIterator<Item = (&'f Path, Option<&'f [u8]>)>,
) -> Result<(), Failure> {
    edit_files_of(settings, files.into_iter().map(|(path, bytes)| (named, path, bytes)))
}

/// As [`edit_files`], each with what the user named.
pub(crate) fn edit_files_of<'f>(
    settings: &Settings,
    files: impl IntoIterator<Item = (&'f Path, &'f Path, Option<&'f [u8]>)>,
) -> Result<(), Failure> {
    let files: Vec<_> = files.into_iter().collect();
    let mut roots = BTreeMap::new();
    for (named, _, _) in &files {
        if let Entry::Vacant(place) = roots.entry(*named) {
            let root = if settings.follows_links { Root::open(Path::new("/")) } else { Root::around(named) };
            place.insert(root.map_err(|error| failure(named, &error))?);
        }
    }
    let mut absolute = Vec::new();
    for (named, path, bytes) in files {
        if let Some(root) = roots.get(named) {
            let place = std::path::absolute(path).map_err(|error| failure(path, &error))?;
            absolute.push((root, place, path, bytes));
        }
    }
    replace_all(absolute)
}

/// Writes or removes files: the root, the path in it, how it is shown, and the bytes.
fn replace_all<'f>(
    files: impl IntoIterator<Item = (&'f Root, PathBuf, &'f Path, Option<&'f [u8]>)>,
) -> Result<(), Failure> {
    let mut ready = Vec::new();
    let mut gone = Vec::new();
    for (root, path, shown, bytes) in files {
        match bytes {
            Some(bytes) => ready.push((prepare(root, &path, shown, bytes)?, shown)),
            None => gone.push((root, path, shown)),
        }
    }
    for (file, shown) in ready {
        file.publish().map_err(|error| failure(shown, &error))?;
    }
    for (root, path, shown) in gone {
        root.remove_file(&path).map_err(|error| Failure::io("remove", shown, &error))?;
    }
    Ok(())
}

/// Writes the bytes of a file beside it.
fn prepare(root: &Root, path: &Path, shown: &Path, bytes: &[u8]) -> Result<Replacement, Failure> {
    let mut new = root.replace(path).map_err(|error| match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => Failure::new(format!("{} is read-only", shown.display()))
            .help("make it writable, or write elsewhere with --output-file if the command has that flag"),
        _ => failure(shown, &error),
    })?;
    let written = new.file.write_all(bytes).and_then(|()| new.file.as_file()?.sync_all());
    written.map_err(|error| failure(shown, &error))?;
    Ok(new)
}

/// A directory that the user named, made if it does not exist.
pub(crate) fn create_root(path: &Path) -> Result<Root, Failure> {
    Root::create(path).map_err(|error| Failure::io("create", path, &error))
}

/// Writes a file in a directory that the user named; directories on the way are made.
pub(crate) fn write_in(root: &Root, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    root.write(path, bytes).map_err(|error| failure(&root.shown(path), &error))
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
