//! What a reference on the command line names: a folder, a file, an image, or standard input.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use fbc_model::tree::{DiskTree, MAX_FILE_BYTES, MemoryTree, Tree, TreeEntry, read_file};

use crate::failure::{Failure, closest, words};
use crate::image_source::{Unpacked, image_of_path, unpack_contents};

/// A catalog that can be loaded.
pub(crate) struct CatalogSource {
    /// The files.
    pub(crate) tree: Box<dyn Tree>,
    /// How paths below it are shown.
    root: Root,
}

/// What the paths of a catalog are relative to.
enum Root {
    /// A folder.
    Folder(PathBuf),
    /// The one file itself, or `-` for standard input.
    File(PathBuf),
    /// What was unpacked of an image.
    Image(Unpacked),
}

impl CatalogSource {
    /// Finds what a reference names.
    pub(crate) fn open(reference: &Path) -> Result<Self, Failure> {
        if reference.as_os_str() == "-" {
            return Self::standard_input();
        }
        if let Some(image) = image_of_path(reference) {
            let unpacked = unpack_contents(&image?)?;
            let tree = Box::new(DiskTree { root: unpacked.folder.path().to_path_buf() });
            return Ok(Self { tree, root: Root::Image(unpacked) });
        }
        let metadata = fs::metadata(reference).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(reference),
            _ => Failure::io("open", reference, &error),
        })?;
        if metadata.is_dir() {
            let tree = Box::new(DiskTree { root: reference.to_path_buf() });
            return Ok(Self { tree, root: Root::Folder(reference.to_path_buf()) });
        }
        if !metadata.is_file() {
            return Err(Failure::new(format!(
                "{} is a pipe, socket or device, not a catalog",
                reference.display()
            ))
            .help("name a folder or a file, or give `-` and pipe the catalog to standard input"));
        }
        let tree = Box::new(FileTree { path: reference.to_path_buf() });
        Ok(Self { tree, root: Root::File(reference.to_path_buf()) })
    }

    fn standard_input() -> Result<Self, Failure> {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| Failure::new(format!("cannot read standard input: {}", words(&error))))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(
                Failure::new("standard input is larger than 4 GiB").help("give the catalog as a folder")
            );
        }
        let mut tree = MemoryTree::default();
        // Rules judge files by their names; this one has none.
        tree.insert("catalog.yaml", bytes);
        Ok(Self { tree: Box::new(tree), root: Root::File(PathBuf::from("-")) })
    }

    /// A catalog that is, or becomes, a folder.
    pub(crate) fn of_tree(tree: Box<dyn Tree>, folder: &Path) -> Self {
        Self { tree, root: Root::Folder(folder.to_path_buf()) }
    }

    /// The path as users know it, without a leading `./`, which other tools do not expect.
    pub(crate) fn shown(&self, relative: &Path) -> PathBuf {
        let path = match &self.root {
            Root::Folder(root) if relative.as_os_str().is_empty() => root.clone(),
            Root::Folder(root) => root.join(relative),
            Root::File(path) => path.clone(),
            Root::Image(image) => image.shown.join(relative),
        };
        match path.strip_prefix(".") {
            Ok(short) if !short.as_os_str().is_empty() => short.to_path_buf(),
            _ => path,
        }
    }

    /// Whether a path in the catalog is a folder: a finding about it has no lines.
    pub(crate) fn is_folder(&self, relative: &Path) -> bool {
        let root = match &self.root {
            Root::Folder(root) => root,
            Root::Image(image) => image.folder.path(),
            Root::File(_) => return false,
        };
        fs::symlink_metadata(root.join(relative))
            .map_or(relative.as_os_str().is_empty(), |metadata| metadata.is_dir())
    }
}

/// One file as a tree of its own.
struct FileTree {
    path: PathBuf,
}

impl FileTree {
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

/// Whether a path may be meant as the reference of an image: it begins with the name of a host.
fn looks_like_image(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let host = text.split_once('/').map(|(host, _)| host).unwrap_or_default();
    !host.starts_with('.') && host.contains(['.', ':'])
}

/// The failure for a path that does not exist, with the name beside it that may have been meant.
fn missing(path: &Path) -> Failure {
    let failure = Failure::new(format!("{} does not exist", path.display()));
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = fs::read_dir(folder) else {
        if looks_like_image(path) {
            return failure.help(
                "fbc does not pull images so far; an image map (FBC_IMAGE_MAP) names the folder that stands for an image",
            );
        }
        return failure.help(format!("the folder {} does not exist either", folder.display()));
    };
    let mut names: Vec<String> =
        entries.take(10_000).filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let wanted = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    match closest(&wanted, names.iter().map(String::as_str)) {
        Some(name) => failure.help(format!("did you mean {}?", path.with_file_name(name).display())),
        None => failure.help("name a folder or file that holds a catalog, or `-` for standard input"),
    }
}
