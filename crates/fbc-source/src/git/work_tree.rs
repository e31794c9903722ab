//! What differs between a revision and the work tree, found without git looking into files: that would run the filters
//! that attributes name, in this repository and in those within it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use fbc_lint::comparison::scope::is_same_text;
use fbc_model::tree::read_file;
use fbc_rules::rep::repository::Touch;

use super::listing::{FileMode, ListedFile, Stamp};
use super::objects::ObjectReader;
use super::{Repository, Verb, os_string};
use crate::error::{Error, system_words};

/// What is in the place of a path now.
enum Now {
    Nothing,
    /// This content, as the index knows it.
    Known(FileMode, String),
    /// A file or link with a content that has to be looked at.
    Open(Metadata),
}

impl Repository {
    /// The files below some directories that differ between a tree and the work tree; new files are those that git tracks
    /// or does not ignore. Paths, those of the directories too, are relative to the root of the repository; without
    /// directories all files count.
    ///
    /// A file whose lines only end otherwise is the same, for git turns ends of lines as settings say. Submodules count by
    /// the commit that is staged.
    pub fn touched_since(&self, tree: &str, folders: &[&Path]) -> Result<Vec<(PathBuf, Touch)>, Error> {
        let before = self.files_below(tree, folders)?.into_iter();
        let before: BTreeMap<PathBuf, (FileMode, String)> =
            before.map(|file| (file.path, (file.mode, file.id))).collect();
        let listed: BTreeMap<PathBuf, ListedFile> =
            self.names_below(folders)?.into_iter().map(|file| (file.path.clone(), file)).collect();
        let mut work_tree = WorkTree::open(self)?;
        let mut touched = Vec::new();
        let paths: BTreeSet<&PathBuf> = before.keys().chain(listed.keys()).collect();
        for path in paths {
            let now = work_tree.now(path, listed.get(path))?;
            let touch = match (before.get(path), now) {
                (None, Now::Nothing) => None,
                (None, _) => Some(Touch::Added),
                (Some(_), Now::Nothing) => Some(Touch::Deleted),
                (Some(before), Now::Known(mode, id)) => (*before != (mode, id)).then_some(Touch::Modified),
                (Some((mode, id)), Now::Open(metadata)) => {
                    let is_same = work_tree.is_same(path, *mode, id, &metadata)?;
                    (!is_same).then_some(Touch::Modified)
                }
            };
            touched.extend(touch.map(|touch| (path.clone(), touch)));
        }
        Ok(touched)
    }
}

/// The files of a repository as they are.
struct WorkTree<'r> {
    repository: &'r Repository,
    root: PathBuf,
    /// When the index was written.
    indexed: Option<(u32, u32)>,
    /// The directory that was looked at last, and whether it is one, with all above it.
    folder: (PathBuf, bool),
    /// What reads the content that files had, once some must be compared.
    reader: Option<ObjectReader>,
}

impl<'r> WorkTree<'r> {
    fn open(repository: &'r Repository) -> Result<Self, Error> {
        let index = PathBuf::from(os_string(&repository.line(Verb::RevParse, &["--git-path", "index"])?));
        let metadata = fs::metadata(repository.folder.join(index)).ok();
        Ok(Self {
            repository,
            root: repository.folder.join(repository.way_up()?),
            indexed: metadata.as_ref().and_then(stamp_of).map(|stamp| stamp.written),
            folder: (PathBuf::new(), true),
            reader: None,
        })
    }

    fn now(&mut self, path: &Path, listed: Option<&ListedFile>) -> Result<Now, Error> {
        let staged = listed.and_then(|file| file.staged.clone());
        let known = |(mode, id): (FileMode, String)| Now::Known(mode, id);
        if let Some(staged) = staged.clone().filter(|(mode, _)| *mode == FileMode::Submodule) {
            return Ok(known(staged));
        }
        let Some(metadata) = self.metadata(path)? else {
            let is_left_out = listed.is_some_and(|file| file.is_left_out);
            return Ok(staged.filter(|_| is_left_out).map_or(Now::Nothing, known));
        };
        let is_clean =
            listed.and_then(|file| file.stamp).is_some_and(|stamp| self.is_clean(stamp, &metadata));
        Ok(staged.filter(|_| is_clean).map_or(Now::Open(metadata), known))
    }

    /// What the system says of a file or link; nothing of a directory, and of what lies behind a link.
    fn metadata(&mut self, path: &Path) -> Result<Option<Metadata>, Error> {
        let full = self.root.join(path);
        match self.is_within(path.parent().unwrap_or(Path::new(""))).then(|| fs::symlink_metadata(&full)) {
            None => Ok(None),
            Some(Ok(metadata)) => Ok(Some(metadata).filter(|metadata| !metadata.is_dir())),
            Some(Err(error)) if is_absent(&error) => Ok(None),
            Some(Err(error)) => Err(Error::io("read", &full, &error)),
        }
    }

    /// Whether a directory is one, and so are all above it. Paths come in their order, so that most have the directory of
    /// the path before.
    fn is_within(&mut self, folder: &Path) -> bool {
        if self.folder.0 != folder {
            let mut above: Vec<&Path> =
                folder.ancestors().filter(|path| !path.as_os_str().is_empty()).collect();
            above.reverse();
            // What cannot be looked at is noticed where it is read.
            let is_directory = |path: &&Path| {
                fs::symlink_metadata(self.root.join(path))
                    .map_or_else(|error| !is_absent(&error), |metadata| metadata.is_dir())
            };
            self.folder = (folder.to_path_buf(), above.iter().all(is_directory));
        }
        self.folder.1
    }

    /// Whether a file is the one that the index describes. A file that is as young as the index may have been written
    /// again after that, in the same moment.
    fn is_clean(&self, stamp: Stamp, metadata: &Metadata) -> bool {
        let is_older = self.indexed.is_some_and(|indexed| stamp.written < indexed);
        is_older && stamp_of(metadata) == Some(stamp)
    }

    /// Whether the content of a file or link is the one that it had.
    fn is_same(&mut self, path: &Path, mode: FileMode, id: &str, metadata: &Metadata) -> Result<bool, Error> {
        let full = self.root.join(path);
        let now = match (mode, metadata.is_symlink(), metadata.is_file()) {
            (FileMode::Link, true, _) => {
                fs::read_link(&full).map(|target| target.into_os_string().into_encoded_bytes())
            }
            (FileMode::File | FileMode::Executable, _, true) => read_file(&full),
            _ => return Ok(false),
        };
        let now = now.map_err(|error| Error::io("read", &full, &error))?;
        let before = self.content(id).map_err(|error| {
            Error::new(format!("cannot read {} as it was: {}", path.display(), system_words(&error)))
        })?;
        Ok(now == before || mode != FileMode::Link && is_same_text(&before, &now))
    }

    fn content(&mut self, id: &str) -> io::Result<Vec<u8>> {
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => ObjectReader::start(self.repository)?,
        };
        let mut bytes = Vec::new();
        self.reader.insert(reader).read_into(id, &mut bytes)?;
        Ok(bytes)
    }
}

/// Whether there is nothing: also where a file is in place of a directory, and under names that the system cannot have.
fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename)
}

/// What the system says of a file, as git notes it; nothing where the system has no such numbers.
#[cfg(unix)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the index holds the lower 32 bits"
)]
fn stamp_of(metadata: &Metadata) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt as _;
    Some(Stamp {
        changed: (metadata.ctime() as u32, metadata.ctime_nsec() as u32),
        written: (metadata.mtime() as u32, metadata.mtime_nsec() as u32),
        inode: metadata.ino() as u32,
        size: metadata.size() as u32,
    })
}

#[cfg(not(unix))]
fn stamp_of(_: &Metadata) -> Option<Stamp> {
    None
}
