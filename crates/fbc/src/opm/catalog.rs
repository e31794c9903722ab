//! What a reference names in opm, and how catalogs are written.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use fbc_bundle::folder::is_bundle;
use fbc_model::Catalog;
use fbc_model::tree::DiskTree;
use fbc_model::writer::{self, Format};
use fbc_yaml::go_text::quote;

use super::telling::OpmError;
use crate::failure::Failure;
use crate::image_map::ImageMap;
use crate::terminal;

/// What a reference names.
pub(super) enum Reference {
    /// A folder with a catalog.
    Catalog(DiskTree),
    /// A folder with a bundle.
    Bundle(DiskTree),
    /// A bundle image, for which a folder stands.
    BundleImage(DiskTree),
}

/// Finds what a reference names: a folder, or an image that the image map of the environment knows. The
/// function makes opm's error of a text.
pub(super) fn find(reference: &str, error: impl Fn(String) -> OpmError) -> Result<Reference, OpmError> {
    let path = Path::new(reference);
    if !path.exists()
        && let Some(folder) = ImageMap::from_environment()?.folder(reference)
    {
        let tree = DiskTree { root: folder.to_path_buf() };
        return Ok(if is_bundle(&tree) { Reference::BundleImage(tree) } else { Reference::Catalog(tree) });
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let tree = DiskTree { root: path.to_path_buf() };
            Ok(if is_bundle(&tree) { Reference::Bundle(tree) } else { Reference::Catalog(tree) })
        }
        Ok(_) => Err(error(format!("ref {} is not a directory: not allowed", quote(reference)))),
        Err(_) => Err(Failure::new(format!(
            "not yet: there is no folder {reference}, and fbc does not pull images so far"
        ))
        .help("check the path; a folder can stand for an image in the file that FBC_IMAGE_MAP names")
        .into()),
    }
}

/// Checks the value of `--output`.
pub(super) fn check_output(value: &str) -> Result<(), String> {
    match value {
        "json" | "yaml" => Ok(()),
        _ => Err(format!("invalid --output value {}, expected (json|yaml)", quote(value))),
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
        writer::WriteError::Output(fault) => Failure::from(fault).into(),
        writer::WriteError::Blob { .. } => error(fault.to_string()),
    })?;
    out.flush().map_err(|fault| Failure::from(fault).into())
}
