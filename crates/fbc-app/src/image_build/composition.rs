//! A catalog upon the catalog of a base: it takes its place, or lies over it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fbc_image::build::{self, CATALOG_FOLDER, Contents};
use fbc_image::image::CATALOG_LABEL;
use fbc_image::unpack::{Options, unpack_into};
use fbc_image::{Image, ImageSource};
use fbc_model::tree::{DiskTree, Tree, read_file};
use fbc_source::Error;
use fbc_staging::StagedDirectory;

use crate::settings::Settings;

/// The directory of the catalog of a base; nothing if it holds none.
fn catalog_of(image: &Image) -> Option<String> {
    Some(format!("/{}", image.label(CATALOG_LABEL)?.trim_matches('/')))
}

/// The contents of an image with this catalog, of directories and files with their places. The catalog of the base is covered, unless it is kept.
///
/// # Errors
/// If the directory or the base cannot be read.
pub(super) fn contents(
    parts: &[(&Path, &Path)],
    base: Option<&dyn ImageSource>,
    keeps_catalog: bool,
) -> Result<Contents, Error> {
    let Some(base) = base else { return Ok(build::catalog(parts.iter().copied())?) };
    let at = catalog_of(&Image::select(base, None)?);
    if keeps_catalog {
        return Ok(build::catalog_at(parts.iter().copied(), at.as_deref().unwrap_or(CATALOG_FOLDER))?);
    }
    let mut contents = build::catalog(parts.iter().copied())?;
    contents.cover(CATALOG_FOLDER);
    if let Some(at) = at.filter(|at| at != CATALOG_FOLDER && at != "/") {
        contents.cover(&at);
    }
    Ok(contents)
}

/// The catalog of the base with these directories and files over it, as the image has them, and where in it.
///
/// # Errors
/// If one of them cannot be read, or there is no room.
pub(super) fn composed(
    parts: &[(&Path, &Path)],
    base: &dyn ImageSource,
    settings: &Settings,
) -> Result<(StagedDirectory, PathBuf), Error> {
    let image = Image::select(base, None)?;
    let at = catalog_of(&image).unwrap_or_else(|| CATALOG_FOLDER.to_owned());
    let lower = settings.scratch_directory()?;
    let options = Options { below: PathBuf::from(at.trim_matches('/')), ..Options::default() };
    unpack_into(&image, base, lower.path(), &options)?;
    let work = settings.scratch_directory()?;
    let lower = (lower.path(), Path::new(""));
    for (path, target) in parts.iter().copied().chain([lower]) {
        match path.is_file() {
            true => {
                let bytes = read_file(path).map_err(|error| Error::io("read", path, &error))?;
                write_one(&bytes, target, &work)?;
            }
            false => {
                let tree = DiskTree { root: path.to_path_buf() };
                write_missing(&tree, Path::new(""), target, &work)?;
            }
        }
    }
    Ok((work, PathBuf::from(at)))
}

/// Writes the files of a directory that are not there.
fn write_missing(tree: &dyn Tree, below: &Path, target: &Path, to: &StagedDirectory) -> Result<(), Error> {
    for entry in tree.list(below).map_err(|error| Error::io("read", below, &error))? {
        let path = below.join(&entry.name);
        if entry.is_directory {
            write_missing(tree, &path, target, to)?;
            continue;
        }
        let bytes = tree.read(&path).map_err(|error| Error::io("read", &path, &error))?;
        write_one(&bytes, &target.join(&path), to)?;
    }
    Ok(())
}

/// Writes a file, unless it is there.
fn write_one(bytes: &[u8], path: &Path, to: &StagedDirectory) -> Result<(), Error> {
    let failed = |error: io::Error| Error::io("write to", to.path(), &error);
    let mut file = match to.create_file(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        created => created.map_err(failed)?,
    };
    file.write_all(bytes).map_err(failed)
}
