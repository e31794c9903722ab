//! What a directory holds that carries images to another registry: `mirror.json` beside the layout.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fbc_image::registry::Reference;
use serde::{Deserialize, Serialize};

use super::Place;
use crate::failure::Failure;
use crate::output_file::write_file;

/// The file in the directory.
const FILE: &str = "mirror.json";
/// The version of its form.
const VERSION: u32 = 1;

/// An image that was copied, with its place at a destination.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Copied {
    /// The reference that catalogs and clusters use; none for a catalog from a directory.
    pub(crate) source: Option<String>,
    /// Its repository at a destination.
    pub(crate) repository: String,
    /// Its tag there.
    pub(crate) tag: String,
    /// The digest of what was copied.
    pub(crate) digest: String,
    /// Whether it is a catalog, and which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) catalog: Option<CatalogForm>,
    /// Whether it belongs to another image, as a signature does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_attached: bool,
}

/// What a catalog at the destination is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CatalogForm {
    /// The image of the source, byte for byte.
    Whole,
    /// An image that was built from a directory or a selection.
    Built,
}

impl Copied {
    /// Its place at a destination.
    pub(crate) fn place(&self) -> Place {
        Place { repository: self.repository.clone(), tag: self.tag.clone() }
    }

    /// Where it came from, if that was a registry.
    pub(crate) fn source(&self) -> Option<Reference> {
        self.source.as_deref().and_then(|source| Reference::parse(source).ok())
    }
}

/// What is in the file.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Document {
    version: u32,
    /// What the directory holds.
    pub(crate) images: Vec<Copied>,
    /// References of what should be there and could not be copied.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) incomplete: BTreeSet<String>,
    /// The blobs of its images: digests by the repository at the destination.
    #[serde(default)]
    pub(crate) blobs: Carried,
    /// Whether blobs are left out that an earlier directory carried.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_increment: bool,
}

/// Digests of blobs by the repository at the destination that gets them. A registry keeps blobs by repository, so what one
/// repository has another may still need.
pub(crate) type Carried = BTreeMap<String, BTreeSet<String>>;

/// Writes what a directory holds, with what earlier runs put there.
///
/// `failed` are references of what could not be copied; a catalog from a directory has its place.
pub(crate) fn write<'f>(
    folder: &Path,
    copied: &[Copied],
    failed: impl Iterator<Item = &'f String>,
    carried: &Carried,
    is_increment: bool,
) -> Result<(), Failure> {
    let earlier = folder.join(FILE).exists().then(|| read(folder)).transpose()?.unwrap_or_default();
    let Document { images: earlier, mut incomplete, mut blobs, is_increment: was_increment, .. } = earlier;
    for (repository, digests) in carried {
        blobs.entry(repository.clone()).or_default().extend(digests.iter().cloned());
    }
    for one in copied {
        incomplete.remove(&one.source.clone().unwrap_or_else(|| one.place().to_string()));
    }
    incomplete.extend(failed.cloned());
    let by_place: BTreeMap<String, &Copied> =
        earlier.iter().chain(copied).map(|one| (one.place().to_string(), one)).collect();
    let images = by_place.into_values().cloned().collect();
    let is_increment = is_increment || was_increment;
    let document = Document { version: VERSION, images, incomplete, blobs, is_increment };
    let text = serde_json::to_string_pretty(&document).map_err(|error| Failure::new(error.to_string()))?;
    write_file(&folder.join(FILE), |out| Ok(writeln!(out, "{text}")?))
}

/// The blobs that an earlier directory carried, and those before it; its record may stand for it.
pub(crate) fn carried_before(path: &Path) -> Result<Carried, Failure> {
    let document = if path.is_dir() { read(path)? } else { read_file(path)? };
    if document.blobs.is_empty() {
        return Err(Failure::new(format!("{} says of no blob that it was carried", path.display())).help(
            "name a directory that `fbc mirror --to-folder` of this version wrote, or its `mirror.json`",
        ));
    }
    Ok(document.blobs)
}

/// Reads what a directory holds.
pub(crate) fn read(folder: &Path) -> Result<Document, Failure> {
    read_file(&folder.join(FILE))
}

fn read_file(path: &Path) -> Result<Document, Failure> {
    let bytes = fbc_model::tree::read_file(path).map_err(|error| {
        Failure::io("read", path, &error)
            .help("name a directory that `fbc mirror --to-folder` wrote to the end")
    })?;
    let document: Document = serde_json::from_slice(&bytes).map_err(|error| {
        Failure::new(format!("{}: {error}", path.display()))
            .help("write the directory again with `fbc mirror --to-folder`")
    })?;
    if document.version != VERSION {
        return Err(Failure::new(format!(
            "{} has version {}; this fbc knows {VERSION}",
            path.display(),
            document.version
        ))
        .help("use the fbc that wrote the directory"));
    }
    Ok(document)
}
