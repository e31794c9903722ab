//! Folders of catalogs: `catalogs/<OpenShift version>/<package>/`.
//!
//! A folder is one of catalogs if a folder in it is named after an OpenShift version (`v4.18`, `4.18`); then each
//! folder of such a name is a catalog of its own, and nothing else in it is looked at. No package can be mistaken
//! for a catalog, because names of packages have no dots. Any other folder is one catalog.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fbc_lint::policy::OcpVersion;
use fbc_model::tree::{Tree, TreeEntry};

use crate::arguments::Global;
use crate::failure::Failure;

/// The catalogs that the paths name. What is left out is told on standard error.
pub(crate) fn expand(paths: &[PathBuf], global: Global) -> Result<Vec<PathBuf>, Failure> {
    let mut catalogs = Vec::new();
    for path in paths {
        match catalogs_in(path) {
            None => catalogs.push(path.clone()),
            Some(names) => {
                if !global.quiet {
                    let mut err = crate::terminal::stderr();
                    // A hint is not worth failing for.
                    let _ = writeln!(err, "{} holds the catalogs {}", path.display(), names.join(", "));
                }
                catalogs.extend(names.iter().map(|name| path.join(name)));
            }
        }
    }
    Ok(catalogs)
}

/// The names of the catalogs in a folder of the disk, by version; nothing if it is a catalog itself.
pub(crate) fn catalogs_in(folder: &Path) -> Option<Vec<String>> {
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let entries = fs::read_dir(folder).ok()?.flatten().filter(is_folder);
    catalogs_of(entries.filter_map(|entry| entry.file_name().into_string().ok()))
}

/// As [`catalogs_in`], of the root of a tree.
pub(crate) fn catalogs_in_tree(tree: &dyn Tree) -> Option<Vec<String>> {
    let entries = tree.list(Path::new("")).ok()?;
    let folder =
        |entry: TreeEntry| entry.is_directory.then(|| entry.name.to_str().map(str::to_owned)).flatten();
    catalogs_of(entries.into_iter().filter_map(folder))
}

fn catalogs_of(folders: impl Iterator<Item = String>) -> Option<Vec<String>> {
    let mut names: Vec<String> = folders.filter(|name| OcpVersion::parse(name).is_some()).collect();
    sort(&mut names);
    (!names.is_empty()).then_some(names)
}

/// Sorts versions as versions: 4.9 comes before 4.10.
pub(crate) fn sort(names: &mut Vec<String>) {
    names.sort_by_cached_key(|name| (OcpVersion::parse(name), name.clone()));
    names.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_catalogs() {
        let names = |names: &[&str]| catalogs_of(names.iter().map(|name| (*name).to_owned()));
        assert_eq!(names(&["v4.18", "docs", "v4.9", "v4.10"]).unwrap(), ["v4.9", "v4.10", "v4.18"]);
        assert_eq!(names(&["4.18"]).unwrap(), ["4.18"]);
        for no in [&["foo", "bar"][..], &["v4", "4.18.1", "v4.x", "v.4"], &[]] {
            assert_eq!(names(no), None, "{no:?}");
        }
    }
}
