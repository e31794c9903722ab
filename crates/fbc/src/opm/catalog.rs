//! What a reference names in opm: a catalog folder. Bundle folders and images come later.

use std::fs;
use std::path::Path;

use fbc_model::tree::DiskTree;
use fbc_yaml::go_text::quote;

use super::telling::OpmError;
use crate::failure::Failure;

/// What a reference names.
pub(super) enum Reference {
    /// A folder with a catalog.
    Catalog(DiskTree),
    /// A folder with a bundle.
    Bundle,
}

/// Finds what a reference names. The function makes opm's error of a text.
pub(super) fn find(reference: &str, error: impl Fn(String) -> OpmError) -> Result<Reference, OpmError> {
    let path = Path::new(reference);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let is_bundle = ["manifests", "metadata"].iter().all(|name| path.join(name).is_dir());
            Ok(if is_bundle {
                Reference::Bundle
            } else {
                Reference::Catalog(DiskTree { root: path.to_path_buf() })
            })
        }
        Ok(_) => Err(error(format!("ref {} is not a directory: not allowed", quote(reference)))),
        Err(_) => Err(Failure::new(format!(
            "not yet: there is no folder {reference}, and fbc does not pull images so far"
        ))
        .help("check the path; to read an image, use opm itself")
        .into()),
    }
}

/// The error for a bundle folder.
pub(super) fn no_bundles_yet(reference: &str) -> OpmError {
    Failure::new(format!("not yet: {reference} is a bundle folder, which fbc does not render so far"))
        .help("use opm itself for it")
        .into()
}

/// Checks the value of `--output`.
pub(super) fn check_output(value: &str) -> Result<(), String> {
    match value {
        "json" | "yaml" => Ok(()),
        _ => Err(format!("invalid --output value {}, expected (json|yaml)", quote(value))),
    }
}
