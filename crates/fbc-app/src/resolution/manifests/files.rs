//! The files that hold manifests.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use fbc_model::tree::read_file;
use fbc_source::{Error, system_words as words};

use crate::event::Event;
use crate::settings::Settings;

/// Names of files that are kustomize's own.
const KUSTOMIZE: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/// Directories may nest as deep as this; a link to a directory above would never end.
const MAXIMUM_DEPTH: usize = 64;

/// A file of manifests.
pub(super) struct File {
    /// The name that users know.
    pub(super) shown: String,
    pub(super) bytes: Vec<u8>,
}

/// The files of a path: itself, or all manifests below it in the order of their names.
pub(super) fn of(path: &Path, settings: &Settings) -> Result<Vec<File>, Error> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| Error::new(format!("cannot read standard input: {}", words(&error))))?;
        return Ok(vec![File { shown: "standard input".to_owned(), bytes }]);
    }
    let metadata = fs::metadata(path).map_err(|error| {
        Error::io("read", path, &error).help("name a file or directory with manifests, or `-`")
    })?;
    let mut paths = Vec::new();
    if metadata.is_dir() {
        walk(path, 0, settings, &mut paths)?;
    } else {
        paths.push(path.to_path_buf());
    }
    let read = |path: PathBuf| {
        let bytes = read_file(&path).map_err(|error| Error::io("read", &path, &error))?;
        Ok(File { shown: path.display().to_string(), bytes })
    };
    paths.into_iter().map(read).collect()
}

fn walk(folder: &Path, depth: usize, settings: &Settings, paths: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failure = |error: io::Error| Error::io("read", folder, &error);
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(failure)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(failure)?;
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_manifest = [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
        if name.starts_with('.') {
            continue;
        } else if path.is_dir() {
            if depth == MAXIMUM_DEPTH {
                return Err(Error::new(format!("{} is nested too deep", path.display()))
                    .help("is there a link to a directory above it?"));
            }
            walk(&path, depth + 1, settings, paths)?;
        } else if KUSTOMIZE.contains(&name.as_str()) {
            settings.tell(Event::Detail(&format!("ignored: {} (kustomize)", path.display())));
        } else if is_manifest {
            paths.push(path);
        }
    }
    Ok(())
}
