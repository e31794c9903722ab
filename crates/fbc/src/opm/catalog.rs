//! What a reference names in opm: a catalog folder or a bundle folder. Images come later.

use std::fs;
use std::path::Path;

use fbc_bundle::folder::is_bundle;
use fbc_model::tree::DiskTree;
use fbc_yaml::go_text::quote;

use super::telling::OpmError;
use crate::failure::Failure;

/// What a reference names.
pub(super) enum Reference {
    /// A folder with a catalog.
    Catalog(DiskTree),
    /// A folder with a bundle.
    Bundle(DiskTree),
}

/// Finds what a reference names. The function makes opm's error of a text.
pub(super) fn find(reference: &str, error: impl Fn(String) -> OpmError) -> Result<Reference, OpmError> {
    let path = Path::new(reference);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let tree = DiskTree { root: path.to_path_buf() };
            Ok(if is_bundle(&tree) { Reference::Bundle(tree) } else { Reference::Catalog(tree) })
        }
        Ok(_) => Err(error(format!("ref {} is not a directory: not allowed", quote(reference)))),
        Err(_) => Err(Failure::new(format!(
            "not yet: there is no folder {reference}, and fbc does not pull images so far"
        ))
        .help("check the path; to read an image, use opm itself")
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
