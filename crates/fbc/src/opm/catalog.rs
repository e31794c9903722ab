//! What a reference names in opm, and how catalogs are written.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use fbc_bundle::folder::is_bundle;
use fbc_go::text::quote;
use fbc_model::Catalog;
use fbc_model::tree::DiskTree;
use fbc_model::writer::{self, Format};
use fbc_source::Session;
use fbc_source::image_source::Unpacked;
use fbc_source::template_bundles::pull_as_opm;

use super::error::OpmError;
use super::line_error::LineError;
use crate::image_map;
use crate::terminal;

/// Files of a catalog or bundle.
pub(super) struct Files {
    /// The files.
    pub(super) tree: DiskTree,
    /// What was unpacked of an image; the files are gone with it.
    _unpacked: Option<Unpacked>,
}

impl Files {
    fn folder(path: &Path) -> Self {
        Self { tree: DiskTree { root: path.to_path_buf() }, _unpacked: None }
    }
}

/// What a reference names.
pub(super) enum Reference {
    /// A catalog.
    Catalog(Files),
    /// A folder with a bundle.
    Bundle(Files),
    /// A bundle image.
    BundleImage(Files),
}

/// Finds what a reference names: a folder, an image that the image map of the environment knows, or an image in a
/// registry. The function makes opm's error of a text.
pub(super) fn find(
    reference: &str,
    session: &Session,
    error: impl Fn(String) -> OpmError,
) -> Result<Reference, OpmError> {
    let path = Path::new(reference);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let files = Files::folder(path);
            Ok(if is_bundle(&files.tree) { Reference::Bundle(files) } else { Reference::Catalog(files) })
        }
        Ok(_) => Err(error(format!("ref {} is not a directory: not allowed", quote(reference)))),
        Err(_) => match image_map::of_environment()?.folder(reference) {
            Some(folder) => {
                let files = Files::folder(folder);
                let is_bundle = is_bundle(&files.tree);
                Ok(if is_bundle { Reference::BundleImage(files) } else { Reference::Catalog(files) })
            }
            None => pull(reference, session).map_err(error),
        },
    }
}

/// Pulls an image.
fn pull(reference: &str, session: &Session) -> Result<Reference, String> {
    let unpacked = pull_as_opm(reference, session).map_err(|error| error.to_string())?;
    let (tree, is_catalog) = (DiskTree { root: unpacked.folder.path().to_path_buf() }, unpacked.is_catalog);
    let files = Files { tree, _unpacked: Some(unpacked) };
    Ok(if is_catalog { Reference::Catalog(files) } else { Reference::BundleImage(files) })
}

/// Checks the value of `--output`.
pub(super) fn check_output(value: &str) -> Result<(), LineError> {
    match value {
        "json" | "yaml" => Ok(()),
        _ => Err(LineError::InvalidOutput(value.to_owned())),
    }
}

/// The format of a value of `--output` that was checked.
pub(super) fn format(output: &str) -> Format {
    if output == "yaml" { Format::Yaml } else { Format::Json }
}

/// Writes a catalog to standard output. The function makes opm's error of a text that YAML cannot hold.
pub(super) fn write(
    catalog: &Catalog,
    output: &str,
    error: impl Fn(String) -> OpmError,
) -> Result<(), OpmError> {
    let mut out = terminal::stdout();
    writer::write(catalog, format(output), &mut out).map_err(|fault| match fault {
        writer::WriteError::Output(fault) => fault.into(),
        writer::WriteError::Blob { .. } | writer::WriteError::Layout { .. } => error(fault.to_string()),
    })?;
    Ok(out.flush()?)
}

/// The text that [`write`] writes.
pub(super) fn text(
    catalog: &Catalog,
    output: &str,
    error: impl Fn(String) -> OpmError,
) -> Result<String, OpmError> {
    let mut bytes = Vec::new();
    writer::write(catalog, format(output), &mut bytes).map_err(|fault| error(fault.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
