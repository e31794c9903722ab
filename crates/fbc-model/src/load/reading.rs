//! Reading the files of a tree, with errors in Go's words.

use std::path::Path;

use crate::tree::Tree;

/// Reads a file of a catalog; the error is the reference's.
pub(super) fn read_into(tree: &dyn Tree, path: &Path, buffer: &mut Vec<u8>) -> Result<(), String> {
    if path.to_str().is_none() {
        return Err(format!("open {}: {}", path.display(), NOT_UTF_8));
    }
    tree.read_into(path, buffer).map_err(|error| match (error.kind(), tree.folder()) {
        // Go opens a directory like a file, under its whole path, and only then fails.
        (std::io::ErrorKind::IsADirectory, Some(folder)) => {
            format!("read {}: {}", folder.join(path).display(), describe(&error))
        }
        (std::io::ErrorKind::IsADirectory, None) => format!("read {}: {}", path.display(), describe(&error)),
        _ => format!("open {}: {}", path.display(), describe(&error)),
    })
}

/// What Go says of names that are not UTF-8.
pub(super) const NOT_UTF_8: &str = "invalid argument";

/// The words that Go uses for the common errors of the system.
pub(super) fn describe(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_lowercase()
        }
    }
}
