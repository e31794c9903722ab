//! What a reference on the command line names: a directory, a file, standard input, an image, or a directory or file
//! in a revision of the repository (`REV:PATH`, as git writes it).

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use fbc_model::overlay_tree::{FileVersions, OverlayTree};
use fbc_model::tree::{DiskTree, MAX_FILE_BYTES, MemoryTree, Tree, TreeEntry, read_file};
use fbc_template::TemplateKind;

use crate::error::{Error, ErrorKind, system_words};
use crate::expansion::{self, Manifests};
use crate::git::{GitLimits, Repository};
use crate::git_tree::{GitPath, GitTree};
use crate::image_source::{ImageName, Unpacked, image_of_path, registry_image_of_path, unpack_contents};
use crate::nearby;
use crate::session::Session;

/// A catalog that can be loaded.
pub struct CatalogSource {
    /// The files.
    pub tree: Box<dyn Tree>,
    /// How paths below it are shown.
    root: Root,
}

/// What the paths of a catalog are relative to.
enum Root {
    /// A directory.
    Folder(PathBuf),
    /// The one file itself, or `-` for standard input.
    File(PathBuf),
    /// A file that is not a catalog: the configuration, of which findings speak as well.
    Configuration(PathBuf),
    /// A directory in a revision, shown as `REV:PATH`.
    Revision(String),
    /// What was unpacked of an image.
    Image(Unpacked),
}

impl CatalogSource {
    /// Finds what a reference names. What exists on disk comes before a revision of the same name.
    pub fn open(reference: &Path, session: &Session) -> Result<Self, Error> {
        if reference.as_os_str() == "-" {
            return Self::standard_input();
        }
        if let Some(image) = image_of_path(reference) {
            return Self::image(&image?, session);
        }
        let metadata = match fs::metadata(reference) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if is_address(reference) {
                    return Err(Error::new(format!(
                        "{} is an address, not a reference",
                        reference.display()
                    ))
                    .of_kind(ErrorKind::Missing)
                    .help("leave the scheme out: images are named as HOST/REPOSITORY:TAG"));
                }
                let image = registry_image_of_path(reference);
                let in_revision = revision_and_path(reference)
                    .map(|(revision, path)| Self::in_revision(reference, revision, path, session));
                // A revision may be named like an image; hardly anybody does that, and then it is meant.
                return match (in_revision, image) {
                    (Some(Ok(source)), _) => Ok(source),
                    (_, Some(image)) => Self::image(&image, session).map_err(|failure| {
                        let text = image.to_string();
                        match text.contains([':', '@']) {
                            true => failure,
                            // Hardly anybody means an image that way.
                            false => failure
                                .help(format!("there is no directory {text}, so it is taken for an image")),
                        }
                    }),
                    (Some(failed), None) => failed,
                    (None, None) => Err(missing(reference, session.reading().git)),
                };
            }
            Err(error) => return Err(Error::io("open", reference, &error)),
        };
        if metadata.is_dir() {
            require_current_directory(reference)?;
            return Ok(Self {
                tree: session.reading().disk_tree(reference),
                root: Root::Folder(reference.to_path_buf()),
            });
        }
        if !metadata.is_file() {
            return Err(Error::new(format!(
                "{} is a pipe, socket or device, not a catalog",
                reference.display()
            ))
            .help("name a directory or a file, or give `-` and pipe the catalog to standard input"));
        }
        if let Some(expanded) = Self::template(reference, session, Manifests::Preferred)? {
            return Ok(expanded);
        }
        let file = FileTree { path: reference.to_path_buf() };
        Ok(Self { tree: Box::new(file), root: Root::File(reference.to_path_buf()) })
    }

    /// The catalog that a template expands to; nothing if the file is not a template.
    pub fn template(reference: &Path, session: &Session, wanted: Manifests) -> Result<Option<Self>, Error> {
        let file = FileTree { path: reference.to_path_buf() };
        if !session.reading().expands_templates {
            return Ok(None);
        }
        let Some((kind, text)) = file.template() else { return Ok(None) };
        let place = (reference, expansion::folder_of(reference));
        let tree = expansion::tree_of(kind, place, &text, None, session, wanted)?;
        Ok(Some(Self::expansion(reference, tree)))
    }

    /// The catalog that a template in a revision expands to; everything else as it is. `folder` lies in the repository,
    /// whose catalogs hold bundles of the template; directories that it names are those of the revision.
    pub fn expanded(self, folder: &Path, session: &Session) -> Result<Self, Error> {
        let Root::File(shown) = &self.root else { return Ok(self) };
        let entries = self.tree.list(Path::new("")).unwrap_or_default();
        let text = entries.first().and_then(|file| self.tree.read(&file.name).ok()).unwrap_or_default();
        match expansion::kind_of(&text).filter(|_| session.reading().expands_templates) {
            None => Ok(self),
            Some(kind) => {
                let revision = shown.to_str().and_then(|shown| Some(shown.split_once(':')?.0));
                let wanted = Manifests::Preferred;
                let tree = expansion::tree_of(kind, (shown, folder), &text, revision, session, wanted)?;
                Ok(Self::expansion(shown, tree))
            }
        }
    }

    fn expansion(template: &Path, tree: MemoryTree) -> Self {
        let shown = PathBuf::from(format!("{} (expanded)", template.display()));
        Self { tree: Box::new(tree), root: Root::File(shown) }
    }

    /// The catalog or bundle of an image.
    fn image(name: &ImageName, session: &Session) -> Result<Self, Error> {
        let unpacked = unpack_contents(name, session)?;
        let tree = Box::new(DiskTree { root: unpacked.folder.path().to_path_buf() });
        Ok(Self { tree, root: Root::Image(unpacked) })
    }

    /// The image that it comes from.
    pub fn image_name(&self) -> Option<&ImageName> {
        match &self.root {
            Root::Image(image) => Some(&image.name),
            _ => None,
        }
    }

    /// The image in a registry that it comes from.
    pub fn registry_name(&self) -> Option<&str> {
        match &self.root {
            Root::Image(image) => image.registry_name.as_deref(),
            _ => None,
        }
    }

    /// Whether it is a directory with a repository in it; the root of one is refused by whoever loads it.
    #[must_use]
    pub fn has_repository(&self) -> bool {
        matches!(&self.root, Root::Folder(path) if path.join(".git").exists())
    }

    /// A configuration file, for findings about it.
    pub fn configuration(path: &Path) -> Self {
        let tree = Box::new(FileTree { path: path.to_path_buf() });
        Self { tree, root: Root::Configuration(path.to_path_buf()) }
    }

    /// Whether it is a catalog, and not a configuration file.
    pub fn is_catalog(&self) -> bool {
        !matches!(self.root, Root::Configuration(_))
    }

    fn in_revision(reference: &Path, revision: &str, path: &str, session: &Session) -> Result<Self, Error> {
        let repository = Repository::around(Path::new("."), session.reading().git)
            .map_err(|failure| failure.within(&reference.display().to_string()))?;
        // As in git: paths begin at the root of the repository, unless they say otherwise.
        let path = if path == "." {
            repository.prefix()?
        } else if path.starts_with("./") || path.starts_with("../") || path == ".." {
            repository.prefix()?.join(path)
        } else {
            PathBuf::from(path)
        };
        let found = Self::of_revision(repository, revision, &path)?.ok_or_else(|| {
            let shown = path.display();
            Error::new(format!("revision {revision:?} has no {shown}")).of_kind(ErrorKind::Missing).help(
                format!("paths begin at the root of the repository; `{revision}:./{shown}` begins here"),
            )
        })?;
        found.expanded(Path::new("."), session)
    }

    /// A directory or file of a revision, its path from the root of the repository; nothing if it has none.
    pub fn of_revision(repository: Repository, revision: &str, path: &Path) -> Result<Option<Self>, Error> {
        let shown = format!("{revision}:{}", path.display());
        Ok(match GitTree::open(repository, revision, path)? {
            GitPath::Folder(tree) => Some(Self { tree: Box::new(tree), root: Root::Revision(shown) }),
            GitPath::File(bytes) => {
                let mut tree = MemoryTree::default();
                tree.insert(path.file_name().unwrap_or(path.as_os_str()), bytes);
                Some(Self { tree: Box::new(tree), root: Root::File(PathBuf::from(shown)) })
            }
            GitPath::Nothing => None,
        })
    }

    /// A catalog without files, shown as the path.
    pub fn nothing(path: &Path) -> Self {
        Self { tree: Box::new(MemoryTree::default()), root: Root::Folder(path.to_path_buf()) }
    }

    fn standard_input() -> Result<Self, Error> {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| Error::new(format!("cannot read standard input: {}", system_words(&error))))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(
                Error::new("standard input is larger than 4 GiB").help("give the catalog as a directory")
            );
        }
        let mut tree = MemoryTree::default();
        // Rules judge files by their names; this one has none.
        tree.insert("catalog.yaml", bytes);
        Ok(Self { tree: Box::new(tree), root: Root::File(PathBuf::from("-")) })
    }

    /// A catalog that is, or becomes, a directory.
    pub fn of_tree(tree: Box<dyn Tree>, folder: &Path) -> Self {
        Self { tree, root: Root::Folder(folder.to_path_buf()) }
    }

    /// A tree with one file, shown as the path.
    pub fn of_file(tree: Box<dyn Tree>, path: &Path) -> Self {
        Self { tree, root: Root::File(path.to_path_buf()) }
    }

    /// The same catalog with some files in other versions.
    pub fn overlaid(self, files: FileVersions) -> Self {
        Self { tree: Box::new(OverlayTree::new(self.tree, files)), ..self }
    }

    /// Whether its files lie on disk where they are shown, so that they can be edited.
    pub fn is_on_disk(&self) -> bool {
        match &self.root {
            Root::Folder(path) | Root::File(path) | Root::Configuration(path) => path.exists(),
            Root::Revision(_) | Root::Image(_) => false,
        }
    }

    /// Whether it is everything in a revision.
    pub fn is_root_of_revision(&self) -> bool {
        matches!(&self.root, Root::Revision(shown) if shown.ends_with(':'))
    }

    /// Whether the catalog is one file.
    pub fn is_one_file(&self) -> bool {
        matches!(self.root, Root::File(_))
    }

    /// The path as users know it, without a leading `./`, which other tools do not expect.
    pub fn shown(&self, relative: &Path) -> PathBuf {
        let path = match &self.root {
            Root::Folder(root) if relative.as_os_str().is_empty() => root.clone(),
            Root::Folder(root) => root.join(relative),
            Root::File(path) | Root::Configuration(path) => path.clone(),
            Root::Revision(root) if relative.as_os_str().is_empty() => PathBuf::from(root),
            Root::Revision(root) if root.ends_with(':') => {
                let mut path = std::ffi::OsString::from(root);
                path.push(relative);
                PathBuf::from(path)
            }
            Root::Revision(root) => Path::new(root).join(relative),
            Root::Image(image) => image.shown.join(relative),
        };
        match path.strip_prefix(".") {
            Ok(short) if !short.as_os_str().is_empty() => short.to_path_buf(),
            _ => path,
        }
    }

    /// Whether a path in the catalog is a folder: a finding about it has no lines.
    pub fn is_folder(&self, relative: &Path) -> bool {
        let root = match &self.root {
            Root::Folder(root) => root,
            Root::Image(image) => image.folder.path(),
            Root::Revision(_) => return self.tree.list(relative).is_ok(),
            Root::File(_) | Root::Configuration(_) => return false,
        };
        fs::symlink_metadata(root.join(relative))
            .map_or(relative.as_os_str().is_empty(), |metadata| metadata.is_dir())
    }
}

/// A directory that was removed can still be listed from within, and seems to be empty.
fn require_current_directory(path: &Path) -> Result<(), Error> {
    match std::env::current_dir() {
        Err(error) if path.is_relative() && error.kind() == io::ErrorKind::NotFound => {
            Err(Error::new(format!("cannot open {}: the current directory no longer exists", path.display()))
                .help("change to a directory that exists"))
        }
        _ => Ok(()),
    }
}

/// One file as a tree of its own.
struct FileTree {
    path: PathBuf,
}

impl FileTree {
    /// The kind and text of the template that it is; nothing for a catalog, and for what cannot be read.
    fn template(&self) -> Option<(TemplateKind, Vec<u8>)> {
        let text = read_file(&self.path).ok()?;
        Some((expansion::kind_of(&text)?, text))
    }

    fn name(&self) -> PathBuf {
        self.path.file_name().map(PathBuf::from).unwrap_or_else(|| self.path.clone())
    }
}

impl Tree for FileTree {
    fn list(&self, _: &Path) -> io::Result<Vec<TreeEntry>> {
        Ok(vec![TreeEntry { name: self.name(), is_directory: false }])
    }

    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        read_file(&self.path)
    }
}

/// Whether a reference is an address of the web.
fn is_address(reference: &Path) -> bool {
    let text = reference.to_str().unwrap_or_default();
    ["https://", "http://", "oci://"].iter().any(|scheme| text.starts_with(scheme))
}

/// The two parts of `REV:PATH`; nothing where there is no revision.
fn revision_and_path(reference: &Path) -> Option<(&str, &str)> {
    let (revision, path) = reference.to_str()?.split_once(':')?;
    // A letter before the colon is a drive on Windows.
    let is_drive = cfg!(windows) && revision.len() == 1;
    (!revision.is_empty() && !is_drive).then_some((revision, path))
}

/// The failure for a path that does not exist, with the name beside it that may have been meant.
fn missing(path: &Path, limits: GitLimits) -> Error {
    let failure = Error::new(format!("{} does not exist", path.display())).of_kind(ErrorKind::Missing);
    let is_revision =
        |name: &&str| Repository::around(Path::new("."), limits).is_ok_and(|here| here.resolve(name).is_ok());
    if let Some(name) = path.to_str().filter(is_revision) {
        return failure.help(format!(
            "{name} is a revision: `{name}:PATH` names a catalog in it, `{name}:.` this directory as it was there"
        ));
    }
    failure.help(nearby::meant(path).unwrap_or_else(|| {
        "name a directory or file that holds a catalog or bundle, an image as HOST/REPOSITORY:TAG, or `-` for standard input"
            .to_owned()
    }))
}
