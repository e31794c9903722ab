//! A catalog as a file for each package.

use std::path::{Component, Path, PathBuf};

use fbc_model::Catalog;
use fbc_model::writer::{self, Format};

use crate::error::Error;

/// The files `PACKAGE/catalog.yaml` (or `.json`) of each package, and `catalog.yaml` of blobs without a package.
///
/// # Errors
/// If a package cannot be the name of a directory, or a blob cannot be written in the format.
pub fn package_files(catalog: &Catalog, format: Format) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
    let name = file_name(format);
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for part in writer::parts(catalog) {
        let package = part.package;
        let is_plain =
            matches!(Path::new(package).components().collect::<Vec<_>>().as_slice(), [Component::Normal(_)]);
        if !package.is_empty() && (!is_plain || package.contains(['/', '\\'])) {
            return Err(Error::refusal(format!("package {package:?} cannot be the name of a directory"))
                .help("write to one file with `--output-file`"));
        }
        let mut bytes = Vec::new();
        part.write(format, &mut bytes)?;
        files.push((Path::new(package).join(name), bytes));
    }
    Ok(files)
}

/// The name of the file of a package.
#[must_use]
pub fn file_name(format: Format) -> &'static str {
    match format {
        Format::Json => "catalog.json",
        Format::Yaml => "catalog.yaml",
    }
}
