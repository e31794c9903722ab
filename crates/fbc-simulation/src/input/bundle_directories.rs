//! Bundle directories below others, such as by package and version.

use std::path::{Path, PathBuf};

use fbc_source::Error;

/// How many levels below a directory are searched: a package and a version, and one level above them.
const DEPTH: usize = 3;

/// The bundle directories at some paths and below them, sorted.
pub fn below(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for path in paths {
        find(path, path, 0, &mut found)?;
    }
    found.sort();
    Ok(found)
}

/// Finds the bundle directories at a path and below it.
fn find(named: &Path, path: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    if path.join("manifests").is_dir() {
        found.push(path.to_path_buf());
        return Ok(());
    }
    let before = found.len();
    if depth < DEPTH {
        let entries = std::fs::read_dir(path).map_err(|error| Error::io("read", path, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::io("read", path, &error))?;
            // Links are not followed: a directory from elsewhere stays a directory.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                find(named, &entry.path(), depth + 1, found)?;
            }
        }
    }
    if depth == 0 && found.len() == before {
        return Err(Error::new(format!("there is no bundle in {}", named.display()))
            .help("a bundle is a directory with the directories `manifests` and `metadata`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn bundles_lie_side_by_side_or_by_package_and_version() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["alone/manifests", "all/a-1.0.0/manifests", "all/a/1.1.0/manifests", "none/a/metadata"] {
            fs::create_dir_all(folder.path().join(path)).unwrap();
        }
        let found = |name: &str| {
            let found = below(&[folder.path().join(name)]).ok()?;
            let shown = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
            Some(found.iter().map(shown).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(found("alone").as_deref(), Some("alone"));
        assert_eq!(found("all").as_deref(), Some("all/a/1.1.0 all/a-1.0.0"));
        assert_eq!(found("none"), None);
    }
}
