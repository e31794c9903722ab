//! Bundles with the names of their images: those of registries, and directories that stand for one.

use std::path::Path;

use fbc_bundle::{BundleError, BundleFolder, ImageTemplate};
use fbc_model::tree::Tree;
use fbc_source::image_map::ImageMap;
use fbc_source::{CatalogSource, Error, Session};
use fbc_template::AnnotatedBundle;

use crate::loading::cannot_name_image;

/// A bundle with its annotations: in a directory that the image map has for an image, an image, or a directory.
///
/// # Errors
/// If it cannot be read, is not a bundle, or nothing names its image.
pub fn annotated(
    reference: &Path,
    images: &ImageMap,
    template: Option<&ImageTemplate>,
    session: &Session,
) -> Result<AnnotatedBundle, Error> {
    let image = reference.to_str().unwrap_or_default();
    if let Some(folder) = images.folder(image) {
        let name = image.strip_prefix("docker://").unwrap_or(image);
        return bundle(image, session.reading().disk_tree(folder).as_ref(), &literal(name)?);
    }
    let source = CatalogSource::open(reference, session)?;
    let template = match source.registry_name() {
        Some(name) => literal(name)?,
        None => template.cloned().ok_or_else(|| {
            Error::new("nothing names the image of this bundle").help(
                "give --image-ref-template, or an image map that says which image the directory stands for",
            )
        })?,
    };
    bundle(&reference.display().to_string(), source.tree.as_ref(), &template)
}

fn literal(name: &str) -> Result<ImageTemplate, Error> {
    ImageTemplate::parse(name).map_err(|error| Error::new(error.to_string()))
}

/// What to do about a directory that is not a bundle.
const BUNDLE_HELP: &str = "a bundle is a directory that holds manifests and metadata/annotations.yaml; `fbc bundle validate` says more";

fn bundle(reference: &str, tree: &dyn Tree, image: &ImageTemplate) -> Result<AnnotatedBundle, Error> {
    let refusal = |error: BundleError| match &error {
        BundleError::ImageTemplate(fault) => cannot_name_image(&"the bundle", fault),
        _ => Error::refusal(error.to_string()).help(BUNDLE_HELP),
    };
    let folder = BundleFolder::read(tree).map_err(refusal)?;
    let bundle = fbc_bundle::render::render(&folder, Some(image)).map_err(refusal)?;
    let channels = folder.annotations.channels.split(',').map(str::trim).filter(|name| !name.is_empty());
    Ok(AnnotatedBundle {
        reference: reference.to_owned(),
        bundle,
        channels: channels.map(str::to_owned).collect(),
        default_channel: folder.annotations.default_channel.clone(),
    })
}
