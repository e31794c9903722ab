//! What the bundles of an upgrade hold: a directory with bundles in directories below it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use fbc_app::settings::Settings;
use fbc_model::Catalog;
use fbc_model::tree::Tree;
use fbc_scenario::{BundleImage, Contents, Place, Reference};
use fbc_source::Error;

use crate::input::bundle_directories;

/// Finds the contents of the bundles of a package: each directory with manifests is the bundle whose
/// ClusterServiceVersion it has.
pub(super) fn bundles(
    directory: &Path,
    catalogs: &[&Catalog],
    package: Option<&str>,
    contents: &mut Contents,
    settings: &Settings,
) -> Result<Vec<BundleImage>, Error> {
    let mut by_name: BTreeMap<String, String> = BTreeMap::new();
    for path in bundle_directories::below(&[directory.to_path_buf()])? {
        let tree: Arc<dyn Tree> = Arc::from(settings.disk_tree(&path));
        let bundle = fbc_bundle::manifests::Bundle::read(tree.as_ref())
            .map_err(|error| {
                Error::refusal(format!("{} is not a bundle: {error}", path.display()))
                    .help("`fbc bundle validate` says more; other directories with `manifests` must not be below --bundles")
            })?;
        let name = bundle.operator().name();
        let key = path.display().to_string();
        by_name.insert(name.to_owned(), key.clone());
        contents.bundles.insert(key, tree);
    }
    let is_wanted = |one: &&fbc_model::Bundle| package.is_none_or(|package| one.package == package);
    let wanted = catalogs.iter().flat_map(|catalog| &catalog.bundles).filter(is_wanted);
    let mut images: Vec<BundleImage> = Vec::new();
    for bundle in wanted {
        let Some(key) = by_name.get(&bundle.name) else { continue };
        if !images.iter().any(|image| image.image == bundle.image) {
            let content = Reference { text: key.clone(), place: Place::default() };
            images.push(BundleImage { image: bundle.image.clone(), content });
        }
    }
    warn_of_missing(directory, catalogs, package, &images, settings);
    Ok(images)
}

/// How many bundles without contents are named.
const NAMED_MISSING: usize = 5;

/// Names the bundles of a package that a directory lacks: they are taken as empty.
fn warn_of_missing(
    directory: &Path,
    catalogs: &[&Catalog],
    package: Option<&str>,
    images: &[BundleImage],
    settings: &Settings,
) {
    let bundles = catalogs.iter().flat_map(|catalog| &catalog.bundles);
    let is_missing = |bundle: &&fbc_model::Bundle| {
        package.is_none_or(|package| bundle.package == package)
            && !images.iter().any(|image| image.image == bundle.image)
    };
    let missing: BTreeSet<&str> = bundles.filter(is_missing).map(|bundle| bundle.name.as_str()).collect();
    if missing.is_empty() {
        return;
    }
    let named: Vec<&str> = missing.iter().copied().take(NAMED_MISSING).collect();
    let more = if missing.len() > NAMED_MISSING { ", …" } else { "" };
    settings.warn(Error::new(format!(
        "{} has no contents for {} of the bundles, which are taken as empty: {}{more}",
        directory.display(),
        missing.len(),
        named.join(", ")
    )));
}
