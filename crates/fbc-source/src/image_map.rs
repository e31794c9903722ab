//! Directories that stand for images, so that what names images works without a network.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_model::tree::read_file;
use fbc_yaml::stream;

use crate::error::Error;

/// Directories by the images that they stand for.
#[derive(Debug, Default)]
pub struct ImageMap {
    /// The file that says so.
    path: PathBuf,
    folders: BTreeMap<String, PathBuf>,
}

/// An image stands for a directory that does not exist.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "{} maps {reference} to {}, which exists neither beside it nor in the working directory",
    map.display(), folder.display()
)]
pub struct MissingFolder {
    map: PathBuf,
    reference: String,
    folder: PathBuf,
}

impl ImageMap {
    /// Reads a YAML or JSON file that maps image references to directories.
    ///
    /// # Errors
    /// If it cannot be read, or maps nothing.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let invalid = |text: String| {
            Error::new(format!("{}: {text}", path.display()))
                .help("an image map is a YAML mapping: image reference to directory")
        };
        let bytes = read_file(path).map_err(|error| Error::io("read", path, &error))?;
        let document = stream::read_one(&bytes).map_err(|error| invalid(error.to_string()))?;
        let mut folders = BTreeMap::new();
        for (reference, folder) in document.root().members() {
            let folder =
                folder.as_str().ok_or_else(|| invalid(format!("{reference:?} maps to no directory")))?;
            let beside = path.parent().unwrap_or(Path::new("")).join(folder);
            let folder = if beside.exists() { beside } else { PathBuf::from(folder) };
            folders.insert(reference.to_owned(), folder);
        }
        if folders.is_empty() {
            return Err(invalid("it maps nothing".to_owned()));
        }
        Ok(Self { path: path.to_path_buf(), folders })
    }

    /// As [`Self::folder`], for whoever reads the directory now.
    ///
    /// # Errors
    /// [`MissingFolder`]
    pub fn existing_folder(&self, reference: &str) -> Result<Option<&Path>, MissingFolder> {
        match self.folder(reference) {
            Some(folder) if !folder.exists() => Err(MissingFolder {
                map: self.path.clone(),
                reference: reference.to_owned(),
                folder: folder.to_path_buf(),
            }),
            folder => Ok(folder),
        }
    }

    /// The directory that stands for an image, with or without `docker://` in front of its name.
    pub fn folder(&self, reference: &str) -> Option<&Path> {
        self.folders.get(reference.strip_prefix("docker://").unwrap_or(reference)).map(PathBuf::as_path)
    }
}
