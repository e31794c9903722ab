//! The images of a recorded scenario: `registry.example/catalogs/NAME:v1` and `registry.example/bundles/PACKAGE:vVERSION`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::tree::{Subtree, Tree};
use fbc_olm::content::{Image, Images};
use fbc_resolve::Rules;

use super::{ContentDirectories, ReplayError};

/// The registry of the recordings.
const REGISTRY: &str = "registry.example";
/// The one catalog whose image was built without a label.
const WITHOUT_LABEL: &str = "no-label";

/// All images by the name of their content: `catalogs/NAME`, `bundles/PACKAGE-VERSION`.
pub(super) struct Content {
    images: BTreeMap<String, Arc<Image>>,
    /// Bundles of the second directory: reference and image.
    further: Vec<(String, Arc<Image>)>,
}

impl Content {
    /// Reads all images.
    pub(super) fn new(directories: ContentDirectories, rules: Rules) -> Result<Self, ReplayError> {
        let mut images = BTreeMap::new();
        for sort in ["catalogs", "bundles"] {
            for name in directories_in(directories.images.as_ref(), Path::new(sort))? {
                let path = format!("{sort}/{name}");
                let has_label = sort == "catalogs" && name != WITHOUT_LABEL;
                let image = image(&directories.images, Path::new(&path), has_label, rules)?;
                images.insert(path, image);
            }
        }
        let mut further = Vec::new();
        if let Some(bundles) = &directories.bundles {
            // Only what a catalog speaks of is read: the directory may be large.
            let mentioned: Vec<String> = images
                .values()
                .filter(|image| !image.labels().is_empty())
                .flat_map(|image| bundle_images(image))
                .collect();
            for reference in mentioned {
                let Some((package, version)) = package_and_version(&reference) else { continue };
                let path = PathBuf::from(package).join(version);
                if images.contains_key(&format!("bundles/{package}-{version}"))
                    || bundles.list(&path).is_err()
                {
                    continue;
                }
                further.push((reference.clone(), image(bundles, &path, false, rules)?));
            }
        }
        Ok(Self { images, further })
    }

    /// The registry before anything is pushed.
    pub(super) fn registry(&self) -> Result<Images, ReplayError> {
        let mut images = Images::default();
        let mut push = |reference: &str, image: &Arc<Image>| {
            images
                .push(reference, Arc::clone(image))
                .map_err(|error| ReplayError::new(reference, error.to_string()))
        };
        for (path, image) in &self.images {
            let reference = match path.split_once('/') {
                Some(("bundles", name)) => {
                    let (package, version) = name.rsplit_once('-').unwrap_or((name, ""));
                    format!("{REGISTRY}/bundles/{package}:v{version}")
                }
                _ => format!("{REGISTRY}/{path}:v1"),
            };
            push(&reference, image)?;
        }
        for (reference, image) in &self.further {
            push(reference, image)?;
        }
        Ok(images)
    }

    /// The image with this content.
    pub(super) fn image(&self, content: &str, file: &str) -> Result<&Arc<Image>, ReplayError> {
        self.images
            .get(content)
            .ok_or_else(|| ReplayError::new(file, format!("there is no content {content:?}")))
    }

    /// Puts digests in the place of `sha256:<digest:CONTENT>`.
    pub(super) fn fill_in(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (path, image) in &self.images {
            filled = filled.replace(&format!("sha256:<digest:{path}>"), image.digest());
        }
        filled
    }
}

fn directories_in(tree: &dyn Tree, directory: &Path) -> Result<Vec<String>, ReplayError> {
    let entries = tree
        .list(directory)
        .map_err(|error| ReplayError::new(directory.to_string_lossy(), error.to_string()))?;
    let directories = entries.into_iter().filter(|entry| entry.is_directory);
    Ok(directories.map(|entry| entry.name.to_string_lossy().into_owned()).collect())
}

fn image(
    tree: &Arc<dyn Tree>,
    directory: &Path,
    has_label: bool,
    rules: Rules,
) -> Result<Arc<Image>, ReplayError> {
    let files = Arc::new(Subtree { tree: Arc::clone(tree), folder: directory.to_owned() });
    let image = if has_label {
        Image::of_catalog(files, rules)
    } else {
        Image::of_files(files, BTreeMap::new(), rules)
    };
    image.map(Arc::new).map_err(|error| ReplayError::new(directory.to_string_lossy(), error.to_string()))
}

/// The images of the bundles of a catalog.
fn bundle_images(catalog: &Image) -> Vec<String> {
    let index = &catalog.catalog().index;
    let packages = index.package_names().filter_map(|name| index.package(name));
    packages.flat_map(|package| package.bundles()).map(|bundle| bundle.blob.image.clone()).collect()
}

/// `PACKAGE` and `VERSION` of `registry.example/bundles/PACKAGE:vVERSION`.
fn package_and_version(reference: &str) -> Option<(&str, &str)> {
    let (_, name) = reference.split_once("/bundles/")?;
    name.split_once(":v")
}
