//! Which `fbc.toml` counts: the nearest one in the directories around the catalogs, else around the directory that
//! the command runs in.

use std::path::{Component, Path, PathBuf};

use fbc_source::Error;

use super::PolicyChoice;

/// The name of the file.
pub(super) const NAME: &str = "fbc.toml";

/// The configuration file that counts; nothing where there is none.
pub(super) fn find(choice: &PolicyChoice, catalogs: &[PathBuf]) -> Result<Option<PathBuf>, Error> {
    if choice.no_config {
        return Ok(None);
    }
    if let Some(path) = &choice.config {
        return Ok(Some(path.clone()));
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for catalog in catalogs.iter().filter(|path| path.as_os_str() != "-") {
        if let Some(path) = around(catalog).filter(|path| !found.contains(path)) {
            found.push(path);
        }
    }
    match found.as_slice() {
        [] => Ok(around(Path::new(".")).map(|path| short(&path))),
        [path] => Ok(Some(short(path))),
        [first, second, ..] => Err(Error::new(format!(
            "the catalogs have different configurations: {} and {}",
            short(first).display(),
            short(second).display()
        ))
        .help("run the command once for each, or name one with `--config`")),
    }
}

/// The nearest file in a directory and those around it.
pub(super) fn around(start: &Path) -> Option<PathBuf> {
    let start = absolute(start);
    start.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

/// A path from the root, without `.` and `..`; an empty one is the directory that the command runs in.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            component => plain.push(component),
        }
    }
    plain
}

/// A path from another directory, with slashes; from the root where it does not lie below that directory.
pub(super) fn relative(path: &Path, folder: &Path) -> String {
    let path = absolute(path);
    let short = path.strip_prefix(folder).unwrap_or(&path);
    let parts: Vec<_> = short.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/").replacen("//", "/", 1)
}

/// A path from the directory that the command runs in, where that is short.
fn short(path: &Path) -> PathBuf {
    let current = absolute(Path::new("."));
    match path.strip_prefix(&current) {
        Ok(short) => short.to_path_buf(),
        Err(_) => path.to_path_buf(),
    }
}
