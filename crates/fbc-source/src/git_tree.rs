//! A directory in a revision of a repository as a tree of files, without a checkout.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

use fbc_model::tree::{Tree, TreeEntry};

use crate::error::Error;
use crate::git::objects::ObjectReader;
use crate::git::{FileMode, GitLimits, Repository, TOO_MANY_FILES, TreeFile};

/// Links that lead from one to the next are followed this often, as by the system.
const MAX_LINKS: usize = 40;

/// A directory or file of a revision.
pub struct GitTree {
    repository: Repository,
    /// The files of the whole revision, so that links out of the directory have a target.
    files: BTreeMap<PathBuf, (FileMode, String)>,
    /// What each directory of the revision holds, and whether it is itself a directory.
    folders: BTreeMap<PathBuf, BTreeMap<OsString, bool>>,
    /// How many bytes their names have.
    folder_bytes: u64,
    /// The directory that is the root of the tree.
    root: PathBuf,
    /// Readers of objects that nobody uses at the moment.
    readers: Mutex<Vec<ObjectReader>>,
}

/// What a path of a revision turned out to be.
pub enum GitPath {
    /// A directory.
    Folder(GitTree),
    /// A file with its content.
    File(Vec<u8>),
    /// Nothing.
    Nothing,
}

/// A directory of a revision, its path relative to the current directory; nothing if it has none, or if the current
/// directory is not in the repository of the revision.
pub(crate) fn folder_in_revision(revision: &str, path: &Path, limits: GitLimits) -> Option<GitTree> {
    // To ask git takes processes, and images have a tag or a digest.
    let is_image = path.to_str().is_some_and(|text| text.contains([':', '@']));
    if is_image || path.is_absolute() {
        return None;
    }
    let repository = Repository::around(Path::new("."), limits).ok()?;
    let path = repository.prefix().ok()?.join(path);
    match GitTree::open(repository, revision, &path).ok()? {
        GitPath::Folder(tree) => Some(tree),
        GitPath::File(_) | GitPath::Nothing => None,
    }
}

impl GitTree {
    /// Finds a path of a revision; the path is one from the root of the repository.
    pub fn open(repository: Repository, revision: &str, path: &Path) -> Result<GitPath, Error> {
        let root = inside(path).ok_or_else(|| {
            Error::new(format!("{} leads out of the repository", path.display()))
                .help("paths in a revision begin at the root of the repository")
        })?;
        let id = repository.resolve(revision)?;
        let mut tree = Self {
            files: BTreeMap::new(),
            folders: BTreeMap::from([(PathBuf::new(), BTreeMap::new())]),
            folder_bytes: 0,
            root: PathBuf::new(),
            readers: Mutex::new(Vec::new()),
            repository,
        };
        // All names of directories of a revision, with those above each.
        let most = tree.repository.limits().bytes.saturating_mul(4);
        for TreeFile { mode, id, path } in tree.repository.files(&id)? {
            tree.insert(path, mode, id);
            if tree.folder_bytes > most {
                let message = format!(
                    "the directories of revision {revision:?} have names of more than {most} bytes, four times as much as its list of files may have"
                );
                return Err(Error::budget("git-bytes", message).help(TOO_MANY_FILES));
            }
        }
        let target = tree.follow(&root).ok();
        match target {
            Some(folder) if tree.folders.contains_key(&folder) => {
                let below =
                    tree.files.range(folder.clone()..).take_while(|(path, _)| path.starts_with(&folder));
                // Of a whole revision only some files are read.
                let is_read = !folder.as_os_str().is_empty();
                let ids = below.filter(|_| is_read).map(|(_, (_, id))| id.as_str());
                tree.repository.require_objects(ids, &format!("{revision}:{}", path.display()))?;
                tree.root = folder;
                Ok(GitPath::Folder(tree))
            }
            Some(file) if tree.files.contains_key(&file) => {
                let shown = path.display();
                let ids = tree.files.get(&file).map(|(_, id)| id.as_str());
                tree.repository.require_objects(ids, &format!("{revision}:{shown}"))?;
                let bytes = tree.read(&file);
                bytes.map(GitPath::File).map_err(|error| {
                    Error::new(format!("cannot read {shown} of revision {revision:?}: {error}"))
                })
            }
            _ => Ok(GitPath::Nothing),
        }
    }

    fn insert(&mut self, path: PathBuf, mode: FileMode, id: String) {
        let mut below = path.as_path();
        // A submodule is an empty directory until somebody fetches it.
        let mut is_folder = mode == FileMode::Submodule;
        if is_folder {
            self.folders.entry(path.clone()).or_default();
        }
        while let (Some(folder), Some(name)) = (below.parent(), below.file_name()) {
            if !self.folders.contains_key(folder) {
                self.folder_bytes += folder.as_os_str().len() as u64;
            }
            let entries = self.folders.entry(folder.to_path_buf()).or_default();
            if entries.insert(name.to_owned(), is_folder).is_some() {
                break;
            }
            is_folder = true;
            below = folder;
        }
        if mode != FileMode::Submodule {
            self.files.insert(path, (mode, id));
        }
    }

    /// Where a path of the revision leads when all links on the way are followed.
    fn follow(&self, path: &Path) -> io::Result<PathBuf> {
        let mut links = 0;
        let mut rest: Vec<OsString> = components(path)?;
        rest.reverse();
        let mut here = PathBuf::new();
        while let Some(name) = rest.pop() {
            if name == ".." {
                if !here.pop() {
                    return Err(outside());
                }
                continue;
            }
            here.push(name);
            let Some((FileMode::Link, id)) = self.files.get(&here) else { continue };
            links += 1;
            if links > MAX_LINKS {
                return Err(io::Error::other("too many levels of symbolic links"));
            }
            let target = PathBuf::from(crate::git::os_string(&self.object(id)?));
            if target.is_absolute() {
                return Err(outside());
            }
            here.pop();
            let mut steps = components(&target)?;
            steps.reverse();
            rest.append(&mut steps);
        }
        Ok(here)
    }

    fn object(&self, id: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.object_into(id, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads an object. As many readers come to life as there are threads that read at once.
    fn object_into(&self, id: &str, bytes: &mut Vec<u8>) -> io::Result<()> {
        let idle = self.readers.lock().map_err(|_| io::Error::other("a reader broke down"))?.pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => ObjectReader::start(&self.repository)?,
        };
        // A reader that failed is in no known state, and is dropped.
        reader.read_into(id, bytes)?;
        self.readers.lock().map_err(|_| io::Error::other("a reader broke down"))?.push(reader);
        Ok(())
    }
}

impl Tree for GitTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        let entries = self.folders.get(&self.root.join(directory)).ok_or(io::ErrorKind::NotFound)?;
        let entry = |(name, is_folder): (&OsString, &bool)| TreeEntry {
            name: PathBuf::from(name),
            is_directory: *is_folder,
        };
        Ok(entries.iter().map(entry).collect())
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_into(file, &mut bytes)?;
        Ok(bytes)
    }

    fn read_into(&self, file: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
        let path = self.follow(&self.root.join(file))?;
        match self.files.get(&path) {
            Some((_, id)) => self.object_into(id, buffer),
            None if self.folders.contains_key(&path) => {
                Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"))
            }
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no such file or directory")
}

/// The path without `.` and `..`; nothing if it leads out.
fn inside(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => clean.push(name),
            Component::CurDir => {}
            Component::ParentDir => clean.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(clean)
}

fn components(path: &Path) -> io::Result<Vec<OsString>> {
    path.components()
        .filter(|component| !matches!(component, Component::CurDir))
        .map(|component| match component {
            Component::Normal(name) => Ok(name.to_owned()),
            Component::ParentDir => Ok(OsString::from("..")),
            _ => Err(outside()),
        })
        .collect()
}
