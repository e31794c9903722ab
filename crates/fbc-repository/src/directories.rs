//! Directories that are catalogs by what they hold.

use std::io;
use std::path::{Path, PathBuf};

use fbc_model::tree::Tree;

use crate::matrix::Layout;
use crate::survey::is_document;
use crate::templates;

/// Bytes at the beginning of a file that tell what it is.
const BEGINNING: usize = 4 << 10;
/// Files that are looked at to tell what a directory holds.
const MOST_FILES: usize = 8;
/// Directories below one that are looked at.
const MOST_DIRECTORIES: usize = 16;

/// The catalog in a directory that is named after a release: `catalog` or `configs` in it, or the directory itself. A
/// template beside the one directory of a package is not part of the catalog.
pub(crate) fn catalog_in(tree: &dyn Tree, directory: &Path) -> Option<PathBuf> {
    let entries = tree.list(directory).ok()?;
    let below = |name: &str| entries.iter().any(|entry| entry.is_directory && entry.name == Path::new(name));
    for name in ["catalog", "configs"] {
        let path = directory.join(name);
        if below(name) && holds_blobs(tree, &path, 2) {
            return Some(path);
        }
    }
    if !holds_blobs(tree, directory, 2) {
        return None;
    }
    let packages: Vec<PathBuf> = entries
        .iter()
        .filter(|entry| entry.is_directory)
        .map(|entry| directory.join(&entry.name))
        .filter(|path| holds_blobs(tree, path, 0))
        .collect();
    let has_template = entries.iter().filter(|entry| !entry.is_directory).any(|entry| {
        is_document(&entry.name.to_string_lossy())
            && templates::is_template(tree, &directory.join(&entry.name))
    });
    match packages.as_slice() {
        [package] if has_template => Some(package.clone()),
        _ => Some(directory.to_path_buf()),
    }
}

/// The first file or directory of a catalog that the system does not let us read, with its error. What is made without it
/// would be written beside it.
#[must_use]
pub fn unreadable_part(tree: &dyn Tree, catalog: &Path) -> Option<(PathBuf, io::Error)> {
    let denied = |path: PathBuf, error: io::Error| {
        (error.kind() == io::ErrorKind::PermissionDenied).then_some((path, error))
    };
    let mut left = vec![catalog.to_path_buf()];
    while let Some(directory) = left.pop() {
        let entries = match tree.list(&directory) {
            Ok(entries) => entries,
            Err(error) => match denied(directory, error) {
                None => continue,
                unreadable => return unreadable,
            },
        };
        let (below, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.is_directory);
        left.extend(below.iter().map(|entry| directory.join(&entry.name)));
        let files = files.iter().filter(|entry| is_document(&entry.name.to_string_lossy()));
        let mut files = files.map(|entry| directory.join(&entry.name));
        let unreadable =
            files.find_map(|path| tree.check_readable(&path).err().and_then(|error| denied(path, error)));
        if unreadable.is_some() {
            return unreadable;
        }
    }
    None
}

/// Into which file or files below a catalog a template expands, as the catalog is now; nothing if it holds several files
/// in no known layout.
#[must_use]
pub fn output_of(tree: &dyn Tree, catalog: &Path) -> Option<(Layout, PathBuf)> {
    let Ok(entries) = tree.list(catalog) else {
        // A file is its own output, also before it is there.
        let is_file = catalog.file_name().is_some_and(|name| is_document(&name.to_string_lossy()));
        return (is_file || tree.read(catalog).is_ok()).then(|| (Layout::File, catalog.to_path_buf()));
    };
    let has = |name: &str| entries.iter().any(|entry| entry.name == Path::new(name));
    if has("package.yaml") && has("bundles") && has("channels") {
        return Some((Layout::Split, catalog.to_path_buf()));
    }
    let (below, files): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.is_directory);
    let mut files = files.into_iter().filter(|entry| {
        is_document(&entry.name.to_string_lossy()) && begins_with_blob(tree, &catalog.join(&entry.name))
    });
    match (files.next(), files.next(), below.as_slice()) {
        (Some(file), None, _) => Some((Layout::File, catalog.join(&file.name))),
        (None, None, [only]) => output_of(tree, &catalog.join(&only.name)),
        _ => None,
    }
}

/// Whether a directory holds blobs, itself or so many levels below.
pub(crate) fn holds_blobs(tree: &dyn Tree, directory: &Path, levels: usize) -> bool {
    let Ok(entries) = tree.list(directory) else { return false };
    let files = entries.iter().filter(|entry| !entry.is_directory);
    let files = files.filter(|entry| is_document(&entry.name.to_string_lossy())).take(MOST_FILES);
    if files.map(|entry| directory.join(&entry.name)).any(|path| begins_with_blob(tree, &path)) {
        return true;
    }
    let below = entries.iter().filter(|entry| entry.is_directory).take(MOST_DIRECTORIES);
    levels > 0
        && below.map(|entry| directory.join(&entry.name)).any(|path| holds_blobs(tree, &path, levels - 1))
}

/// Whether a file is a part of a catalog: a document that begins with blobs of a package, and is not a template.
#[must_use]
pub fn is_blob_file(tree: &dyn Tree, path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_document(&name.to_string_lossy())) && begins_with_blob(tree, path)
}

/// Whether a file begins with blobs of a package.
pub(crate) fn begins_with_blob(tree: &dyn Tree, path: &Path) -> bool {
    let Ok(bytes) = tree.read(path) else { return false };
    let beginning = bytes.get(..BEGINNING).unwrap_or(&bytes);
    let text = String::from_utf8_lossy(beginning);
    let mut lines = text.split(['\n', '{', ',']).map(str::trim);
    lines.any(|line| {
        let Some(value) = line.strip_prefix("schema:").or_else(|| line.strip_prefix("\"schema\":")) else {
            return false;
        };
        let value = value.trim_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'' || c == '}');
        ["olm.package", "olm.channel", "olm.bundle"].contains(&value)
    }) && !templates::is_template_text(&bytes)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use fbc_model::tree::{MemoryTree, TreeEntry};

    use super::*;

    /// A tree whose files nobody may read whole, and one of them not at all.
    struct ClosedTree(MemoryTree);

    impl Tree for ClosedTree {
        fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
            self.0.list(directory)
        }

        fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
            panic!("{} is read", file.display())
        }

        fn check_readable(&self, file: &Path) -> io::Result<()> {
            match file.ends_with("closed.yaml") {
                true => Err(io::ErrorKind::PermissionDenied.into()),
                false => Ok(()),
            }
        }
    }

    #[test]
    fn files_are_opened_and_not_read() {
        let found = |files: &[&str]| {
            let tree = ClosedTree(files.iter().map(|path| (*path, "")).collect());
            unreadable_part(&tree, Path::new("c")).map(|(path, _)| path)
        };
        assert_eq!(found(&["c/a.yaml", "c/p/b.yaml", "d/closed.yaml"]), None);
        assert_eq!(found(&["c/a.yaml", "c/p/closed.yaml"]), Some(PathBuf::from("c/p/closed.yaml")));
    }
}
