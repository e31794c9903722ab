//! `index.json`: the images of a layout by their names.

use oci_spec::image::{Descriptor, MediaType};
use serde_json::{Value, json};

use crate::canonical;
use crate::error::ImageError;

/// The annotation with the name of an image.
const NAME: &str = "org.opencontainers.image.ref.name";

/// A name in a layout.
pub struct Named {
    /// The name.
    pub name: String,
    /// What has it.
    pub image: Descriptor,
}

fn name_of(entry: &Descriptor) -> Option<&str> {
    entry.annotations().as_ref()?.get(NAME).map(String::as_str)
}

/// Refuses layouts of a version that is not known.
pub(super) fn check_version(bytes: &[u8], place: &str) -> Result<(), ImageError> {
    let malformed = |reason: String| ImageError::malformed(place, reason);
    let layout: Value =
        serde_json::from_slice(bytes).map_err(|error| malformed(format!("oci-layout: {error}")))?;
    match layout.get("imageLayoutVersion").and_then(Value::as_str) {
        Some(version) if version.starts_with("1.") => Ok(()),
        Some(version) => Err(malformed(format!("oci-layout: version {version:?} is not known"))),
        None => Err(malformed("oci-layout: no imageLayoutVersion".to_owned())),
    }
}

/// The image of a name or digest; without one, the only image.
pub(super) fn select(bytes: &[u8], name: Option<&str>, place: &str) -> Result<Descriptor, ImageError> {
    let entries = entries(bytes, place)?;
    let mut found = entries.iter().filter(|entry| match name {
        None => true,
        Some(name) => name_of(entry) == Some(name) || entry.digest().as_ref() == name,
    });
    let known = || {
        let shown = |entry: &Descriptor| name_of(entry).unwrap_or(entry.digest().as_ref()).to_owned();
        let mut known: Vec<String> = entries.iter().map(shown).collect();
        known.sort();
        known.dedup();
        known
    };
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only.clone()),
        // Several entries may name one image.
        (Some(first), Some(_)) if entries.iter().all(|entry| entry.digest() == first.digest()) => {
            Ok(first.clone())
        }
        // Of one name that stands twice, skopeo takes the first.
        (Some(first), Some(_)) if name.is_some() => Ok(first.clone()),
        (Some(_), Some(_)) => Err(ImageError::SeveralImages { place: place.to_owned(), known: known() }),
        (None, _) => Err(ImageError::NoImage {
            place: place.to_owned(),
            name: name.map(ToOwned::to_owned),
            known: known(),
        }),
    }
}

fn entries(bytes: &[u8], place: &str) -> Result<Vec<Descriptor>, ImageError> {
    let malformed = |reason: String| ImageError::malformed(place, format!("index.json: {reason}"));
    let mut index: Value = serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
    let entries = index.get_mut("manifests").map(Value::take).unwrap_or(Value::Array(Vec::new()));
    serde_json::from_value(entries).map_err(|error| malformed(error.to_string()))
}

/// All names, in the order in which they stand there. An image without one is left out.
pub(super) fn all(bytes: &[u8], place: &str) -> Result<Vec<Named>, ImageError> {
    let named = |entry: Descriptor| Some(Named { name: name_of(&entry)?.to_owned(), image: entry });
    Ok(entries(bytes, place)?.into_iter().filter_map(named).collect())
}

/// The index without some names, and how many they were. Whatever else it holds stays.
pub(super) fn without(
    bytes: &[u8],
    goes: impl Fn(&Named) -> bool,
    place: &str,
) -> Result<(Vec<u8>, usize), ImageError> {
    let malformed = |error: serde_json::Error| ImageError::malformed(place, format!("index.json: {error}"));
    let mut index: Value = serde_json::from_slice(bytes).map_err(malformed)?;
    let mut count = 0;
    if let Some(entries) = index.get_mut("manifests").and_then(Value::as_array_mut) {
        let before = entries.len();
        entries.retain(|entry| {
            let image = serde_json::from_value::<Descriptor>(entry.clone()).ok();
            let named = image.and_then(|image| Some(Named { name: name_of(&image)?.to_owned(), image }));
            !named.is_some_and(|named| goes(&named))
        });
        count = before - entries.len();
    }
    Ok((canonical::bytes(index), count))
}

/// The index of a layout without images.
pub(super) fn empty_index_bytes() -> Vec<u8> {
    canonical::bytes(empty_index())
}

fn empty_index() -> Value {
    json!({"schemaVersion": 2, "mediaType": MediaType::ImageIndex.to_string(), "manifests": []})
}

/// The index with an image put in under a name, in place of what had that name. Whatever else it holds stays.
pub(super) fn with_image(
    existing: Option<&[u8]>,
    image: &Descriptor,
    name: Option<&str>,
    place: &str,
) -> Result<Vec<u8>, ImageError> {
    let mut index = match existing {
        None => empty_index(),
        Some(bytes) => {
            entries(bytes, place)?;
            serde_json::from_slice(bytes).map_err(|error| ImageError::malformed(place, error))?
        }
    };
    let mut entry = canonical::descriptor(image);
    if let (Some(name), Some(fields)) = (name, entry.as_object_mut()) {
        fields.insert("annotations".to_owned(), json!({ NAME: name }));
    }
    let is_replaced = |old: &Value| {
        let old_name = old.get("annotations").and_then(|annotations| annotations.get(NAME));
        old_name.and_then(Value::as_str) == name
    };
    let Some(fields) = index.as_object_mut() else {
        return Err(ImageError::malformed(place, "index.json: is not an object"));
    };
    if let Value::Array(entries) = fields.entry("manifests").or_insert_with(|| json!([])) {
        entries.retain(|old| !is_replaced(old));
        entries.push(entry);
    }
    Ok(canonical::bytes(index))
}
