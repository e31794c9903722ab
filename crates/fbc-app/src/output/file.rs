//! Output to a file: all of it or nothing, staged beside it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use fbc_source::Error;
use fbc_staging::{
    Replacement, Root, StagedFile, destination, in_place, leads_out, parent_of, permissions_of,
};

use crate::settings::Settings;

/// Writes a file that the user named, without a word about it; through a link it is written where that leads. Whether it is a
/// file, and no device.
///
/// # Errors
/// Those of `write`; if the file cannot be written.
pub fn write_file<E: From<Error>>(
    path: &Path,
    settings: &Settings,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<bool, E> {
    write_at(path, settings, Readers::Any, write)
}

/// As [`write_file`] for what nobody else may read; whether it is a file, and no device.
pub fn write_private_file<E: From<Error>>(
    path: &Path,
    settings: &Settings,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<bool, E> {
    write_at(path, settings, Readers::Owner, write)
}

/// A file that the user named with its first bytes, to which others may be added; nobody else may read it.
pub fn begin_private_file(path: &Path, settings: &Settings, first: &[u8]) -> Result<File, Error> {
    match place_of(path, settings)? {
        Place::File(target) => publish(path, &target, Readers::Owner, |out| {
            out.write_all(first).map_err(|error| failure(path, &error))
        }),
        Place::Device(mut device) => {
            device.write_all(first).map_err(|error| failure(path, &error))?;
            Ok(device)
        }
    }
}

/// Who may read a file.
#[derive(Clone, Copy)]
enum Readers {
    Any,
    Owner,
}

impl Readers {
    /// A new file in a directory, in the place of one with these permissions.
    fn stage(self, folder: &Path, old: Option<Permissions>) -> io::Result<StagedFile> {
        let (file, most) = match self {
            Self::Any => (StagedFile::within(folder)?, 0o777),
            Self::Owner => (StagedFile::private(folder)?, 0o700),
        };
        if let Some(old) = old {
            file.as_file()?.set_permissions(Permissions::from_mode(old.mode() & most))?;
        }
        Ok(file)
    }
}

/// Where an output goes.
enum Place {
    /// A path without links.
    File(PathBuf),
    /// What cannot be renamed over, such as a pipe, and what somebody else writes to as well, such as `/dev/stdout`.
    Device(File),
}

/// Where a path leads that the user named.
fn place_of(path: &Path, settings: &Settings) -> Result<Place, Error> {
    let is_special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let place = match (destination(path, settings.trusts_links), in_place::descriptor(path)) {
        (Err(error), _) if leads_out(&error) => Err(error),
        (_, Some(descriptor)) => descriptor.map(Place::Device),
        _ if is_special => in_place::device(path).map(Place::Device),
        (target, None) => target.map(Place::File),
    };
    place.map_err(|error| failure(path, &error))
}

/// Writes a file that the user named; whether it is one, and no device.
fn write_at<E: From<Error>>(
    path: &Path,
    settings: &Settings,
    readers: Readers,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<bool, E> {
    match place_of(path, settings)? {
        Place::File(target) => publish(path, &target, readers, write).map(|_| true),
        Place::Device(device) => {
            let mut out = BufWriter::new(device);
            write(&mut out)?;
            out.flush().map_err(|error| failure(path, &error))?;
            Ok(false)
        }
    }
}

/// Stages a file beside its target, writes it, and gives it its name there. It has the permissions of a file that is there,
/// but for those that a private one does not give.
fn publish<E: From<Error>>(
    path: &Path,
    target: &Path,
    readers: Readers,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<File, E> {
    let old = permissions_of(target).map_err(|error| not_replaced(path, &error))?;
    let failure = |error: &io::Error| failure(path, error);
    let staged = readers.stage(parent_of(target), old).map_err(|error| failure(&error))?;
    let mut out = BufWriter::with_capacity(256 << 10, staged);
    write(&mut out)?;
    let file = out.into_inner().map_err(|error| failure(error.error()))?;
    Ok(file.publish(target).map_err(|error| failure(&error))?)
}

/// Refuses a file whose directory does not exist, before work that it would be too late for.
pub fn check_folder_of(path: Option<&Path>) -> Result<(), Error> {
    let folder = path.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match (path, folder.map(fs::metadata)) {
        (Some(path), Some(Err(error))) => Err(failure(path, &error)),
        _ => Ok(()),
    }
}

/// Replaces files in a directory by their paths in it, with the permissions that they have; a file without bytes is
/// removed, one that does not exist is made. All are written before the first takes its place. A path that leads out of
/// the directory through a symbolic link is refused, and nothing is written.
pub fn replace_files<'f>(
    root: &Root,
    files: impl IntoIterator<Item = (&'f Path, Option<&'f [u8]>)>,
) -> Result<(), Error> {
    replace_all(files.into_iter().map(|(path, bytes)| (root, path.to_path_buf(), root.shown(path), bytes)))
}

/// Edits files that belong to what the user named: a file, a catalog or a repository. As [`replace_files`] in the work
/// tree around what is named, or, without one, in the directory itself; anywhere if the user trusts the links.
pub fn edit_files<'f>(
    named: &Path,
    settings: &Settings,
    files: impl IntoIterator<Item = (&'f Path, Option<&'f [u8]>)>,
) -> Result<(), Error> {
    edit_files_of(settings, files.into_iter().map(|(path, bytes)| (named, path, bytes)))
}

/// As [`edit_files`], each with what the user named.
pub fn edit_files_of<'f>(
    settings: &Settings,
    files: impl IntoIterator<Item = (&'f Path, &'f Path, Option<&'f [u8]>)>,
) -> Result<(), Error> {
    let files: Vec<_> = files.into_iter().collect();
    let mut roots = BTreeMap::new();
    for (named, _, _) in &files {
        if let Entry::Vacant(place) = roots.entry(*named) {
            let root = Root::around(named, settings.trusts_links);
            place.insert(root.map_err(|error| failure(named, &error))?);
        }
    }
    let mut absolute = Vec::new();
    for (named, path, bytes) in files {
        if let Some(root) = roots.get(named) {
            let place = std::path::absolute(path).map_err(|error| failure(path, &error))?;
            absolute.push((root, place, path.to_path_buf(), bytes));
        }
    }
    replace_all(absolute)
}

/// Writes or removes files: the root, the path in it, how it is shown, and the bytes.
fn replace_all<'f>(
    files: impl IntoIterator<Item = (&'f Root, PathBuf, PathBuf, Option<&'f [u8]>)>,
) -> Result<(), Error> {
    let files: Vec<_> = files.into_iter().collect();
    // What is refused leaves no directories either. What goes is a name, not what a link leads to.
    for (root, path, shown, _) in files.iter().filter(|(_, _, _, bytes)| bytes.is_some()) {
        root.place(path).map_err(|error| failure(shown, &error))?;
    }
    let mut ready = Vec::new();
    let mut gone = Vec::new();
    for (root, path, shown, bytes) in files {
        match bytes {
            Some(bytes) => ready.push((prepare(root, &path, &shown, bytes)?, shown)),
            None => gone.push((root, path, shown)),
        }
    }
    for (file, shown) in ready {
        file.publish().map_err(|error| failure(&shown, &error))?;
    }
    for (root, path, shown) in gone {
        root.remove_file(&path).map_err(|error| Error::io("remove", &shown, &error))?;
    }
    Ok(())
}

/// Writes the bytes of a file beside it.
fn prepare(root: &Root, path: &Path, shown: &Path, bytes: &[u8]) -> Result<Replacement, Error> {
    let mut new = root.replace(path).map_err(|error| not_replaced(shown, &error))?;
    let written = new.file.write_all(bytes).and_then(|()| new.file.as_file()?.sync_all());
    written.map_err(|error| failure(shown, &error))?;
    Ok(new)
}

/// A directory or repository that the user named, made if it does not exist: what is written in it stays in it, unless the
/// user trusts its links.
pub fn root_for(named: &Path, settings: &Settings) -> Result<Root, Error> {
    let root = Root::create(named).map_err(|error| Error::io("create", named, &error))?;
    Ok(root.following(settings.trusts_links))
}

/// Writes a file in a directory that the user named; directories on the way are made.
pub fn write_in(root: &Root, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    root.write(path, bytes).map_err(|error| failure(&root.shown(path), &error))
}

/// Writes a file that must not exist yet; `help` says what to do if it does.
pub fn write_new_file(path: &Path, bytes: &[u8], help: &str) -> Result<(), Error> {
    let mut file = StagedFile::beside(path).map_err(|error| failure(path, &error))?;
    file.write_all(bytes).map_err(|error| failure(path, &error))?;
    match file.publish_new(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::new(format!("{} already exists", path.display())).help(help))
        }
        Err(error) => Err(failure(path, &error)),
    }
}

/// The failure to replace a file, which its owner may have made read-only.
fn not_replaced(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => Error::new(format!("{} is read-only", path.display()))
            .help("make it writable, or write elsewhere with --output-file if the command has that flag"),
        _ => failure(path, error),
    }
}

fn failure(path: &Path, error: &io::Error) -> Error {
    Error::io("write", path, error)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write_bytes(path: &Path, settings: &Settings, bytes: &[u8]) -> Result<bool, Error> {
        write_file(path, settings, |out| {
            out.write_all(bytes).map_err(|error| Error::io("write", path, &error))
        })
    }

    fn trusting() -> Settings {
        Settings { trusts_links: true, ..Settings::default() }
    }

    #[test]
    fn outputs_go_where_a_link_of_the_user_leads() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("repository/.git")).unwrap();
        for (link, target) in [
            ("own", "target"),
            ("repository/link", "../target"),
            ("repository/device", "/dev/null"),
            ("null", "/dev/null"),
        ] {
            symlink(target, place.path().join(link)).unwrap();
        }
        let (target, own) = (place.path().join("target"), place.path().join("own"));
        let is = |text: &str, mode: u32| {
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
            assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o077 & !mode, 0, "{text}");
        };
        for text in ["new", "old"] {
            write_bytes(&own, &Settings::default(), text.as_bytes()).unwrap();
            is(text, 0o077);
        }
        drop(begin_private_file(&own, &Settings::default(), b"log").unwrap());
        is("log", 0);
        // One in a repository may be a stranger's.
        let link = place.path().join("repository/link");
        let write = |settings: &Settings| write_bytes(&link, settings, b"trusted");
        let parts = write(&Settings::default()).unwrap_err().into_parts();
        assert!(parts.message.contains("it leads out of"), "{}", parts.message);
        assert!(parts.help.concat().contains("--follow-links"));
        begin_private_file(&link, &Settings::default(), b"x").unwrap_err();
        let device = place.path().join("repository/device");
        begin_private_file(&device, &Settings::default(), b"x").unwrap_err();
        begin_private_file(&place.path().join("null"), &Settings::default(), b"x").unwrap();
        is("log", 0);
        write(&trusting()).unwrap();
        is("trusted", 0o077);
        assert!(own.is_symlink() && link.is_symlink());
    }

    #[test]
    fn outputs_keep_the_permissions_of_what_they_replace() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        let write = |readers: Readers| {
            let new = |out: &mut dyn Write| out.write_all(b"new").map_err(|error| failure(&path, &error));
            write_at(&path, &Settings::default(), readers, new)
        };
        for (mode, readers, after) in [
            (0o600, Readers::Any, 0o600),
            (0o664, Readers::Any, 0o664),
            (0o644, Readers::Owner, 0o600),
            (0o755, Readers::Owner, 0o700),
        ] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert!(write(readers).unwrap());
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, after, "{mode:o}");
        }
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        for readers in [Readers::Any, Readers::Owner] {
            let error = write(readers).unwrap_err();
            assert!(error.message().ends_with("file is read-only"), "{}", error.message());
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        }
        begin_private_file(&path, &Settings::default(), b"new").unwrap_err();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444);
    }

    #[test]
    fn all_files_are_written_or_none() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        fs::create_dir(&folder).unwrap();
        symlink("../out", folder.join("z")).unwrap();
        let names = ["a", "b/c", "z"].map(Path::new);
        let write = |settings: &Settings| {
            replace_files(&root_for(&folder, settings)?, names.map(|name| (name, Some(&b"x"[..]))))
        };
        let failure = write(&Settings::default()).unwrap_err();
        assert!(failure.message().contains("folder/z: it leads out of"), "{}", failure.message());
        assert!(!folder.join("a").exists() && !folder.join("b").exists());
        write(&trusting()).unwrap();
        assert!(folder.join("b/c").exists() && place.path().join("out").exists());
    }
}
