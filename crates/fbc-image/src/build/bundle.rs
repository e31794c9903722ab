//! The contents of a bundle image: manifests, metadata and scorecard of a bundle directory, its annotations as labels.
//!
//! Source of the labels: `operator-framework/operator-registry:docs/design/operator-bundle.md`.

use std::collections::BTreeMap;
use std::path::Path;

use fbc_model::tree::{DiskTree, Tree as _};
use fbc_yaml::Kind;
use fbc_yaml::stream;

use super::{Contents, folder_of};
use crate::error::ImageError;
use crate::image::BUNDLE_LABEL;
use crate::layer::Entries;

const PREFIX: &str = "operators.operatorframework.io.bundle.";
const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";
const METADATA: &str = "operators.operatorframework.io.bundle.metadata.v1";
/// Where the scorecard's configuration is, in the directory and in the image.
const SCORECARD: &str = "tests/scorecard";

/// The contents of a bundle image.
///
/// # Errors
/// If the directory is not a bundle, or something in it cannot be read.
pub fn bundle(folder: &Path) -> Result<Contents, ImageError> {
    let mut labels = annotations(folder)?;
    for (key, default) in
        [("mediatype.v1", "registry+v1"), ("manifests.v1", "manifests/"), ("metadata.v1", "metadata/")]
    {
        labels.entry(format!("{PREFIX}{key}")).or_insert_with(|| default.to_owned());
    }
    let mut entries = Entries::default();
    for (from, label) in [("manifests", BUNDLE_LABEL), ("metadata", METADATA)] {
        let to = labels.get(label).map(String::as_str).unwrap_or(from);
        entries.insert_folder(&folder.join(from), &folder_of(to))?;
    }
    if folder.join(SCORECARD).is_dir() {
        entries.insert_folder(&folder.join(SCORECARD), Path::new(SCORECARD))?;
    }
    Ok(Contents { entries, labels, created_by: "fbc build: bundle", catalog: None })
}

/// The annotations of the first file in `metadata` that names a package.
fn annotations(folder: &Path) -> Result<BTreeMap<String, String>, ImageError> {
    let tree = DiskTree { root: folder.to_path_buf() };
    let metadata = Path::new("metadata");
    let files = tree.list(metadata).map_err(ImageError::io("read", &folder.join(metadata)))?;
    for file in files.into_iter().filter(|file| !file.is_directory) {
        let path = metadata.join(file.name);
        let bytes = tree.read(&path).map_err(ImageError::io("read", &folder.join(&path)))?;
        let Ok(document) = stream::read_one(&bytes) else { continue };
        let root = document.root();
        let found = root.get("annotations").filter(|found| found.kind() == Kind::Object);
        let Some(found) = found.filter(|found| found.get_str(PACKAGE).is_some()) else { continue };
        let labels =
            found.members().filter_map(|(key, value)| Some((key.to_owned(), value.as_str()?.to_owned())));
        return Ok(labels.collect());
    }
    Err(ImageError::Content {
        path: folder.join(metadata),
        reason: format!("no file has the annotation {PACKAGE}, which names the package"),
    })
}
