//! The images that catalogs need.

use fbc_graph::filter::filter;
use fbc_model::{Bundle, Catalog};
use fbc_source::Error;
use fbc_source::needed_images::{Found, Needs, Role, Use};
use serde_json::{Value, json};

use crate::event::Event;
use crate::filter::refusal::error_of;
use crate::filter::selection::{PackageWord, selection};
use crate::settings::Settings;

/// The part of the catalog that is asked for, or nothing after its refusal was told.
///
/// # Errors
/// If the words do not fit each other.
pub fn selected(
    catalog: Catalog,
    packages: &[PackageWord],
    heads_only: bool,
    settings: &Settings,
) -> Result<Option<Catalog>, Error> {
    let words = match (packages, heads_only) {
        ([], false) => return Ok(Some(catalog)),
        ([], true) => PackageWord::every(&catalog),
        (words, _) => words.to_vec(),
    };
    let selection = selection(&words, heads_only, &[], &[])?;
    match filter(&catalog, &selection) {
        Ok(filtered) => Ok(Some(filtered.catalog)),
        Err(refusals) => {
            for refusal in &refusals {
                settings.tell(Event::Refusal(error_of(refusal, &catalog)));
            }
            Ok(None)
        }
    }
}

/// What a catalog needs that an index does not name (validate-fbc of Konflux, where it relates images to the index).
#[must_use]
pub fn beyond(mut catalog: Catalog, index: &Catalog) -> Needs {
    let is_deprecated =
        |bundle: &Bundle| bundle.properties.iter().any(|property| property.kind == "olm.deprecated");
    catalog.bundles.retain(|bundle| !is_deprecated(bundle));
    let mut needs = Needs::from_catalog(&catalog);
    let known = Needs::from_catalog(index);
    let known = known.references();
    needs.images.retain(|image, _| !known.contains(image.as_str()));
    needs.unlisted.retain(|unlisted| !known.contains(unlisted.image.as_str()));
    needs
}

/// All of it as a JSON object.
#[must_use]
pub fn document(needs: &Needs, found: &Found) -> Value {
    let images: Vec<Value> = needs
        .images
        .iter()
        .map(|(image, uses)| {
            let mut entry = json!({"image": image, "uses": uses.iter().map(describe).collect::<Vec<_>>()});
            match found.get(image) {
                None => {}
                Some(Ok(found)) => {
                    entry["digest"] = json!(found.digest);
                    let platforms = found.platforms.iter();
                    entry["platforms"] = platforms
                        .map(|(platform, digest)| json!({"platform": platform, "digest": digest}))
                        .collect();
                }
                Some(Err(error)) => entry["error"] = json!(error.to_string()),
            }
            entry
        })
        .collect();
    let unlisted: Vec<Value> = needs
        .unlisted
        .iter()
        .map(|one| json!({"image": one.image, "package": one.package, "bundle": one.bundle, "at": one.at}))
        .collect();
    json!({"images": images, "unlisted": unlisted, "bundlesWithoutManifests": needs.unknown})
}

fn describe(one: &Use) -> Value {
    let mut described = json!({"package": one.package, "bundle": one.bundle});
    match &one.role {
        Role::Bundle => described["role"] = json!("bundle"),
        Role::Related(name) => {
            described["role"] = json!("related");
            described["name"] = json!(name);
        }
    }
    described
}
