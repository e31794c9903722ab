//! Reading the files of a tree, with errors in Go's words.

use std::path::{Path, PathBuf};

use crate::tree::Tree;

/// A file that cannot be read, in Go's words.
#[derive(Debug, thiserror::Error)]
#[error("{call} {}: {reason}", path.display())]
pub(super) struct ReadError {
    /// What Go asked of the system.
    call: &'static str,
    path: PathBuf,
    reason: String,
}

/// Reads a file of a catalog.
pub(super) fn read_into(tree: &dyn Tree, path: &Path, buffer: &mut Vec<u8>) -> Result<(), ReadError> {
    if path.to_str().is_none() {
        return Err(ReadError { call: "open", path: path.to_path_buf(), reason: NOT_UTF_8.to_owned() });
    }
    tree.read_into(path, buffer).map_err(|error| {
        let reason = describe(&error);
        match error.kind() {
            // Go opens a directory like a file, under its whole path, and only then fails.
            std::io::ErrorKind::IsADirectory => ReadError {
                call: "read",
                path: tree.folder().map_or_else(|| path.to_path_buf(), |folder| folder.join(path)),
                reason,
            },
            _ => ReadError { call: "open", path: path.to_path_buf(), reason },
        }
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
