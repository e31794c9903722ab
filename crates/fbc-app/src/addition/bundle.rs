//! The bundle that is to be added: from a directory, a catalog file, or the catalog itself.

use std::path::Path;

use fbc_bundle::ImageTemplate;
use fbc_model::render::{CSV_METADATA, MigrateLevel, prepare};
use fbc_model::{Bundle, Catalog, Origin, bundle_object};
use fbc_repository::matrix::migrate_level;
use fbc_source::Error;
use fbc_source::Session;

use super::{Addition, repository};
use crate::catalog_edit::{CatalogEdit, is_folder};
use crate::loading::Loader;
use crate::settings::Settings;

/// The bundle.
pub(super) struct Found {
    /// As the catalog has it, or is to have it.
    pub(super) bundle: Bundle,
    /// With the manifests that it came with.
    pub(super) manifests: Bundle,
    /// Whether the catalog does not have it yet.
    pub(super) is_new: bool,
}

/// Finds the bundle; nothing where it cannot be loaded, which is told by then.
pub(super) fn find(
    addition: &Addition,
    edit: &CatalogEdit,
    session: &Session,
    settings: &Settings,
) -> Result<Option<Found>, Error> {
    let known = &edit.catalog.bundles;
    let reference = &addition.bundle;
    if !reference.exists()
        && let Some(name) = reference.to_str()
        && let [bundle] = known.iter().filter(|bundle| bundle.name == name).collect::<Vec<_>>().as_slice()
    {
        let bundle = (*bundle).clone();
        return Ok(Some(Found { manifests: bundle.clone(), bundle, is_new: false }));
    }
    let is_folder = is_folder(reference);
    if !is_folder && (addition.image.is_some() || addition.image_ref_template.is_some()) {
        return Err(Error::new(format!("{} names its image itself", reference.display()))
            .help("--image and --image-ref-template are for bundle directories"));
    }
    let template = match &addition.image {
        Some(image) => Some(literal(image)?),
        None => addition.image_ref_template.clone(),
    };
    let Some(mut new) = load(addition, template.as_ref(), session, settings)? else { return Ok(None) };
    let old = known.iter().find(|bundle| bundle.package == new.package && bundle.name == new.name);
    if let Some(old) = old.filter(|old| is_folder && new.image.is_empty() && !old.image.is_empty()) {
        // A directory does not know its image: it is compared with the one that the catalog names.
        let Some(named) = load(addition, Some(&literal(&old.image)?), session, settings)? else {
            return Ok(None);
        };
        new = named;
    }
    let manifests = new.clone();
    let Some(old) = old else {
        if new.image.is_empty() {
            return Err(Error::refusal(format!("bundle {:?} has no image", new.name))
                .help("name it with --image, or with --image-ref-template for many"));
        }
        // A template names its image alone.
        let is_named = edit.template().is_some();
        let level = if is_named {
            MigrateLevel::None
        } else if addition.migrate {
            MigrateLevel::ALL
        } else {
            level_of(known, &new.package, &addition.catalog)
        };
        return Ok(Some(Found { bundle: prepared(new, level)?, manifests, is_new: true }));
    };
    let olds = levels(old)?;
    let news = levels(&new)?;
    match olds.iter().zip(&news).any(|(old, new)| difference(old, new).is_empty()) {
        true => Ok(Some(Found { bundle: old.clone(), manifests, is_new: false })),
        false => Err(changed(&new.name, &olds, &news)),
    }
}

/// A bundle that is published stays as it is (D-FBC-37).
fn changed(name: &str, olds: &[Bundle], news: &[Bundle]) -> Error {
    let differences = olds.last().zip(news.last()).map(|(old, new)| difference(old, new)).unwrap_or_default();
    Error::refusal(format!(
        "the catalog has a bundle {name:?} with other contents (different: {})",
        differences.join(", ")
    ))
    .help("a published bundle does not change, because it may be installed: give the new contents a new version that replaces it")
}

fn literal(image: &str) -> Result<ImageTemplate, Error> {
    ImageTemplate::parse(image).ok().filter(|_| !image.contains("{{")).ok_or_else(|| {
        Error::new(format!("{image:?} is not an image reference"))
            .help("templates go to --image-ref-template")
    })
}

/// The one bundle that the command line names.
fn load(
    addition: &Addition,
    template: Option<&ImageTemplate>,
    session: &Session,
    settings: &Settings,
) -> Result<Option<Bundle>, Error> {
    let reference = &addition.bundle;
    let Some(catalog) =
        Loader::new(session, settings).naming_images(template).all(std::slice::from_ref(reference))?
    else {
        return Ok(None);
    };
    let mut bundles = catalog.bundles.into_iter();
    let shown = reference.display();
    match (bundles.next(), bundles.len()) {
        (Some(bundle), 0) => Ok(Some(bundle)),
        (Some(_), more) => Err(Error::refusal(format!("{shown} holds {} bundles, not one", more + 1))
            .help("`fbc render` of one bundle writes what can be added")),
        (None, _) => Err(Error::refusal(format!("{shown} holds no bundle")).help(
            "name a bundle directory (with manifests/ and metadata/) or a file with one `olm.bundle` blob",
        )),
    }
}

/// The level of the other bundles of the package; for its first bundle that of the release that a directory of the
/// repository is named after, in which the catalog lies.
fn level_of(bundles: &[Bundle], package: &str, catalog: &Path) -> MigrateLevel {
    let of_package: Vec<&Bundle> = bundles.iter().filter(|bundle| bundle.package == package).collect();
    let has = |kind: &str| {
        let mut properties = of_package.iter().flat_map(|bundle| &bundle.properties);
        properties.any(|property| property.kind == kind)
    };
    match of_package.is_empty() {
        true => {
            repository::release_of(catalog).map_or(MigrateLevel::None, |release| migrate_level(Some(release)))
        }
        false if has(CSV_METADATA) && !has(bundle_object::PROPERTY_TYPE) => MigrateLevel::ALL,
        false => MigrateLevel::None,
    }
}

fn prepared(bundle: Bundle, level: MigrateLevel) -> Result<Bundle, Error> {
    let mut catalog =
        Catalog { bundles: vec![Bundle { origin: Origin::default(), ..bundle }], ..Catalog::default() };
    prepare(&mut catalog, level).map_err(|error| {
        Error::refusal(format!("bundle {:?} cannot be migrated: {}", error.bundle, error.error))
            .help("fix its cluster service version")
    })?;
    catalog.bundles.pop().ok_or_else(|| Error::new("the bundle is gone"))
}

/// A bundle as it is, and brought up to date.
fn levels(bundle: &Bundle) -> Result<[Bundle; 2], Error> {
    let as_it_is = prepared(bundle.clone(), MigrateLevel::None)?;
    let migrated = prepared(bundle.clone(), MigrateLevel::ALL).unwrap_or_else(|_| as_it_is.clone());
    Ok([as_it_is, migrated])
}

/// In what two bundles differ, in words.
fn difference(old: &Bundle, new: &Bundle) -> Vec<String> {
    let mut differences = Vec::new();
    if old.image != new.image {
        differences.push("image".to_owned());
    }
    let kinds = old.properties.iter().chain(&new.properties).map(|property| property.kind.as_str());
    let kinds: std::collections::BTreeSet<&str> = kinds.collect();
    for kind in kinds {
        let of = |bundle: &'_ Bundle| {
            bundle.properties.iter().filter(|property| property.kind == kind).cloned().collect::<Vec<_>>()
        };
        if of(old) != of(new) {
            differences.push(format!("property {kind}"));
        }
    }
    if old.related_images != new.related_images {
        differences.push("relatedImages".to_owned());
    }
    differences
}
