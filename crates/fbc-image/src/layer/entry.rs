//! What a layer is made of: entries by their paths, in order, with all directories on the way.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::error::ImageError;

/// An entry of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerEntry {
    /// A directory.
    Folder,
    /// A directory in which everybody may make files, such as `/tmp`.
    SharedFolder,
    /// A file.
    File {
        /// Its bytes.
        content: Content,
        /// Whether it may be run.
        is_executable: bool,
    },
    /// A symbolic link.
    Link(PathBuf),
}

/// Where the bytes of a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Here.
    Bytes(Vec<u8>),
    /// In a file of the disk, read when the layer is written.
    Disk {
        /// The file.
        path: PathBuf,
        /// Its size when it was found, in bytes.
        bytes: u64,
    },
}

/// The entries of a layer, by paths relative to the root of the image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries(BTreeMap<PathBuf, LayerEntry>);

impl Entries {
    /// Adds an entry and the directories on the way to it. Of two at the same path the later one counts.
    pub fn insert(&mut self, path: impl AsRef<Path>, entry: LayerEntry) {
        let path: PathBuf =
            path.as_ref().components().filter(|part| matches!(part, Component::Normal(_))).collect();
        // Above one that is there, all are.
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !self.0.contains_key(*folder);
        let missing: Vec<PathBuf> =
            path.ancestors().skip(1).take_while(is_missing).map(Path::to_path_buf).collect();
        self.0.extend(missing.into_iter().map(|folder| (folder, LayerEntry::Folder)));
        if !path.as_os_str().is_empty() {
            self.0.insert(path, entry);
        }
    }

    /// The entries in order of their paths: each directory before what it holds.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &LayerEntry)> {
        self.0.iter().map(|(path, entry)| (path.as_path(), entry))
    }

    /// Adds a file of the disk under a path.
    ///
    /// # Errors
    /// As [`Self::insert_folder`].
    pub fn insert_file(&mut self, file: &Path, at: &Path) -> Result<(), ImageError> {
        let metadata = fs::symlink_metadata(file).map_err(ImageError::io("read", file))?;
        let name = Path::new(file.file_name().unwrap_or_default());
        self.insert(at, entry_of(file, name, &metadata)?);
        Ok(())
    }

    /// Adds a directory of the disk with all that it holds, as `COPY` does: nothing is left out. Files may be run if their
    /// owner may run them; all other permissions, owners and times are dropped.
    ///
    /// # Errors
    /// If something cannot be read, is not a file, directory or link, or is a link that leads out of the directory.
    pub fn insert_folder(&mut self, folder: &Path, at: &Path) -> Result<(), ImageError> {
        self.insert(at, LayerEntry::Folder);
        let mut pending = vec![PathBuf::new()];
        while let Some(below) = pending.pop() {
            let listed = folder.join(&below);
            let failed = || ImageError::io("read", &listed);
            for found in fs::read_dir(&listed).map_err(failed())? {
                let found = found.map_err(failed())?;
                let below = below.join(found.file_name());
                let path = folder.join(&below);
                let metadata = fs::symlink_metadata(&path).map_err(ImageError::io("read", &path))?;
                if metadata.is_dir() {
                    self.insert(at.join(&below), LayerEntry::Folder);
                    pending.push(below);
                    continue;
                }
                self.insert(at.join(&below), entry_of(&path, &below, &metadata)?);
            }
        }
        Ok(())
    }
}

/// A file or link of the disk.
fn entry_of(path: &Path, below: &Path, metadata: &fs::Metadata) -> Result<LayerEntry, ImageError> {
    let refused = |reason: &str| ImageError::Content { path: path.to_path_buf(), reason: reason.to_owned() };
    if metadata.is_symlink() {
        let to = fs::read_link(path).map_err(ImageError::io("read", path))?;
        if !stays_inside(below, &to) {
            return Err(refused(
                "is a symbolic link that leads out of the directory; nothing would be there in the image",
            ));
        }
        return Ok(LayerEntry::Link(to));
    }
    if !metadata.is_file() {
        return Err(refused("is a pipe, socket or device, not a file"));
    }
    let content = Content::Disk { path: path.to_path_buf(), bytes: metadata.len() };
    Ok(LayerEntry::File { content, is_executable: is_executable(metadata) })
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

/// Whether a link at a path below a directory leads to something in that directory. Only texts count: a `..` behind a
/// name is taken to leave that name.
fn stays_inside(below: &Path, to: &Path) -> bool {
    let mut depth = below.components().count().saturating_sub(1);
    to.components().all(|part| match part {
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        Component::ParentDir if depth > 0 => {
            depth -= 1;
            true
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_inside() {
        for (below, to, inside) in [
            ("a", "b", true),
            ("a", "./b/c", true),
            ("x/a", "../b", true),
            ("a", "../b", false),
            ("x/a", "../../b", false),
            ("x/a", "/configs/b", false),
            ("x/a", "b/../../../c", false),
        ] {
            assert_eq!(stays_inside(Path::new(below), Path::new(to)), inside, "{below} -> {to}");
        }
    }

    #[test]
    fn folders_on_the_way() {
        let mut entries = Entries::default();
        entries.insert("/b/c/d", LayerEntry::Link("e".into()));
        entries.insert("b-a", LayerEntry::Folder);
        let paths: Vec<&Path> = entries.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["b", "b/c", "b/c/d", "b-a"].map(Path::new));
    }
}
