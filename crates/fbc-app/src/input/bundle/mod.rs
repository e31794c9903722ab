//! Bundles on the command line: directories and images, and how an installation of one is asked for.

mod installation;

use std::path::Path;

use fbc_source::{CatalogSource, Error, Session};

pub use installation::{configuration, namespace, objects, read, read_from};

/// Opens a directory; a file is refused.
pub fn open(folder: &Path, session: &Session) -> Result<CatalogSource, Error> {
    let is_named = folder.as_os_str() != "-";
    let source = is_named.then(|| CatalogSource::open(folder, session)).transpose()?;
    let source = source.filter(|source| source.is_folder(Path::new("")));
    source.ok_or_else(|| {
        let what = if is_named { folder.display().to_string() } else { "standard input".to_owned() };
        Error::new(format!("{what} is not a directory"))
            .help("name the directory that holds `manifests` and `metadata`")
    })
}

/// The failure for a directory that holds something else.
pub fn no_bundle(folder: &Path) -> Error {
    Error::new(format!("{} is not a bundle directory", folder.display()))
        .help("name the directory that holds `manifests` and `metadata`")
}
