//! What of two catalogs has to be looked at: the files that differ, and whole packages around them.
//!
//! A package may lie in several files, and rules look at whole packages, so a file that changed brings in all
//! files of its packages. Text is compared, not blobs: a typing mistake may leave the blob as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use fbc_model::tree::{Tree, TreeEntry};
use fbc_model::{Catalog, index_ignore};
use rayon::prelude::*;

/// What differs between two catalogs, before anything is asked about its meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The packages that have a blob in a file that differs.
    pub packages: BTreeSet<String>,
    /// The files that differ, that only one catalog has, or that could not be read.
    pub files: BTreeSet<PathBuf>,
}

impl Scope {
    /// Compares the files of two catalogs, each with the tree that it was loaded from.
    #[must_use]
    pub fn between(old: (&Catalog, &dyn Tree), new: (&Catalog, &dyn Tree)) -> Self {
        let paths = |catalog: &'_ Catalog| -> BTreeSet<PathBuf> {
            catalog.files.iter().map(|file| file.path.clone()).collect()
        };
        let (before, after) = (paths(old.0), paths(new.0));
        let differs = |path: &&PathBuf| match (old.1.read(path), new.1.read(path)) {
            (Ok(before), Ok(after)) => !is_same_text(&before, &after),
            _ => true,
        };
        let common: Vec<&PathBuf> = before.intersection(&after).collect();
        let mut files: BTreeSet<PathBuf> = common.into_par_iter().filter(differs).cloned().collect();
        files.extend(before.symmetric_difference(&after).cloned());
        // Directories that cannot be read are not files of the catalog.
        files.extend(
            new.0.faults.iter().filter(|fault| fault.origin.is_none()).map(|fault| fault.path.clone()),
        );
        let packages = [old.0, new.0].into_iter().flat_map(|catalog| {
            let by_file = packages_by_file(catalog);
            let files = catalog.files.iter().zip(by_file).filter(|(file, _)| files.contains(&file.path));
            files.flat_map(|(_, packages)| packages).map(str::to_owned).collect::<Vec<_>>()
        });
        Self { packages: packages.filter(|package| !package.is_empty()).collect(), files }
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The part of a catalog that matters: files that differ, and all files of the packages in them.
    #[must_use]
    pub fn narrow<'t>(&self, catalog: &Catalog, tree: &'t dyn Tree) -> NarrowTree<'t> {
        let by_file = packages_by_file(catalog);
        let matters = |path: &Path, packages: &BTreeSet<&str>| {
            self.files.contains(path) || packages.iter().any(|package| self.packages.contains(*package))
        };
        let files = catalog.files.iter().zip(&by_file);
        let paths =
            files.filter(|(file, packages)| matters(&file.path, packages)).map(|(file, _)| &file.path);
        // A directory that cannot be read is to be met again.
        let faulty = catalog.faults.iter().filter(|fault| fault.origin.is_none()).map(|fault| &fault.path);
        let paths = paths.chain(faulty.filter(|path| self.files.contains(*path)));
        let mut folders: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
        for path in paths {
            let mut below = path.as_path();
            while let (Some(folder), Some(name)) = (below.parent(), below.file_name()) {
                if !folders.entry(folder.to_path_buf()).or_default().insert(PathBuf::from(name)) {
                    break;
                }
                below = folder;
            }
        }
        NarrowTree { tree, folders }
    }
}

/// Whether two files hold the same, but for what Windows puts at the end of each line: git turns ends of lines as its
/// settings say, so that a work tree may have others than the revision that it is.
#[must_use]
pub fn is_same_text(before: &[u8], after: &[u8]) -> bool {
    before == after || without_returns(before).eq(without_returns(after))
}

fn without_returns(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// The packages that have blobs in each file of a catalog.
#[must_use]
pub fn packages_by_file(catalog: &Catalog) -> Vec<BTreeSet<&str>> {
    let mut by_file = vec![BTreeSet::new(); catalog.files.len()];
    let packages = catalog.packages.iter().map(|blob| (blob.origin, &blob.name));
    let channels = catalog.channels.iter().map(|blob| (blob.origin, &blob.package));
    let bundles = catalog.bundles.iter().map(|blob| (blob.origin, &blob.package));
    let deprecations = catalog.deprecations.iter().map(|blob| (blob.origin, &blob.package));
    let others = catalog.others.iter().map(|blob| (blob.origin, &blob.meta.package));
    for (origin, package) in packages.chain(channels).chain(bundles).chain(deprecations).chain(others) {
        if let Some(packages) = by_file.get_mut(origin.file as usize) {
            packages.insert(package.as_str());
        }
    }
    by_file
}

/// A tree of which only some files show. Ignore files always do: they decide what the others mean.
pub struct NarrowTree<'t> {
    tree: &'t dyn Tree,
    folders: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

impl Tree for NarrowTree<'_> {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        let none = BTreeSet::new();
        let shown = self.folders.get(directory).unwrap_or(&none);
        let mut entries = self.tree.list(directory)?;
        entries.retain(|entry| {
            shown.contains(&entry.name)
                || !entry.is_directory && entry.name == Path::new(index_ignore::FILE_NAME)
        });
        Ok(entries)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.tree.read(file)
    }

    fn read_into(&self, file: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
        self.tree.read_into(file, buffer)
    }
}
