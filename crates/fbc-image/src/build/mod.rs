//! Catalog and bundle images from folders: layers on top of a base, configurations, manifests, an index.
//!
//! What is built depends on the input alone: documents have one form (`canonical`), layers too
//! ([`crate::layer`]), and the one time in them is given.

pub mod bundle;
mod command;
mod configuration;
mod format;
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use oci_spec::image::Descriptor;
use serde_json::{Map, Value, json};

pub use command::BaseNote;
pub use format::Format;
pub use server::{Server, ServerError};

use crate::canonical;
use crate::error::ImageError;
use crate::image::{CATALOG_LABEL, Image, ImageSource, PlatformName};
use crate::layer::{self, Compression, Content, Entries, Layer, LayerEntry};
use crate::store::BlobFolder;
use crate::unpack::OPAQUE;

/// The directory of the catalog in an image.
pub const CATALOG_FOLDER: &str = "/configs";
/// The annotation with the name of the image that another one is built on.
const BASE_NAME: &str = "org.opencontainers.image.base.name";
/// The annotation with the digest of the image that another one is built on.
const BASE_DIGEST: &str = "org.opencontainers.image.base.digest";

/// What goes into an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The files.
    pub entries: Entries,
    /// The labels that say what the image is.
    pub labels: BTreeMap<String, String>,
    /// What the history says of the layer.
    pub created_by: &'static str,
    /// The directory of the catalog in the image, if it is one.
    pub catalog: Option<String>,
}

/// A moment, as both forms that images have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since 1970.
    pub seconds: u64,
    /// The same as RFC 3339 has it.
    pub text: String,
}

/// What an image is built from.
pub struct Build<'b> {
    /// What goes in.
    pub contents: Contents,
    /// Further labels; they win over those of the contents.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the manifests and of the index.
    pub annotations: BTreeMap<String, String>,
    /// The image below; without one, nothing is below.
    pub base: Option<&'b dyn ImageSource>,
    /// The name of the image below, if it comes from a registry.
    pub base_name: Option<String>,
    /// Whose media types the image has.
    pub format: Format,
    /// The platforms. None means all of the base, or without a base those of the servers, or else linux/amd64.
    pub platforms: Vec<PlatformName>,
    /// How the layers are compressed that are added.
    pub compression: Compression,
    /// When the image was created, and its files changed.
    pub created: Moment,
    /// Programs that serve the catalog, one for each architecture.
    pub servers: Vec<Server>,
}

/// An image that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The index, or the manifest if there is one platform and the base, if any, is not an index.
    pub root: Descriptor,
    /// The platforms with their manifests.
    pub images: Vec<(PlatformName, Descriptor)>,
    /// The layer with the contents.
    pub layer: Layer,
    /// What is to be said of the base.
    pub notes: Vec<BaseNote>,
}

/// The contents of a catalog image: directories and files, each with its place below the directory that is served, as `COPY` would
/// take them. What `.indexignore` leaves out is there too, with the `.indexignore` that leaves it out.
///
/// # Errors
/// If something in a directory cannot be read or cannot become part of an image.
pub fn catalog<'p>(parts: impl IntoIterator<Item = (&'p Path, &'p Path)>) -> Result<Contents, ImageError> {
    catalog_at(parts, CATALOG_FOLDER)
}

/// As [`catalog`], in another directory of the image.
///
/// # Errors
/// As [`catalog`].
pub fn catalog_at<'p>(
    parts: impl IntoIterator<Item = (&'p Path, &'p Path)>,
    at: &str,
) -> Result<Contents, ImageError> {
    let root = Path::new(at);
    let mut entries = Entries::default();
    for (path, target) in parts {
        match path.is_file() {
            true => entries.insert_file(path, &root.join(target))?,
            false => entries.insert_folder(path, &root.join(target))?,
        }
    }
    let labels = BTreeMap::from([(CATALOG_LABEL.to_owned(), at.to_owned())]);
    let created_by = "fbc build: catalog in /configs";
    Ok(Contents { entries, labels, created_by, catalog: Some(at.to_owned()) })
}

impl Contents {
    /// Covers a directory of the base: nothing of it is left but what these contents have there.
    pub fn cover(&mut self, folder: &str) {
        let nothing = LayerEntry::File { content: Content::Bytes(Vec::new()), is_executable: false };
        self.entries.insert(Path::new(folder).join(OPAQUE), nothing);
    }
}

/// What a platform is built on.
struct Base<'b> {
    platform: PlatformName,
    image: Option<&'b Image>,
    server: Option<&'b Server>,
}

/// Builds an image into a directory of blobs.
///
/// # Errors
/// If the base is broken or lacks a platform, if there is no server for a platform, or if the blobs cannot be written.
pub fn build(build: &Build<'_>, into: &BlobFolder) -> Result<Built, ImageError> {
    let images = build.base.map(Image::all).transpose()?.unwrap_or_default();
    let bases = bases(build, &images)?;
    let seconds = build.created.seconds;
    if !build.format.has_annotations() && !build.annotations.is_empty() {
        return Err(ImageError::malformed(
            "Docker's format",
            "has no annotations; build for OCI's, or use labels",
        ));
    }
    let mut shared = layer::write(&build.contents.entries, seconds, build.compression, into)?;
    shared.descriptor = build.format.layer(&shared.descriptor)?;
    let mut built = Vec::new();
    let mut notes = BTreeSet::new();
    for base in &bases {
        let mut added = vec![(shared.clone(), build.contents.created_by)];
        if let Some(server) = base.server {
            let mut layer =
                layer::write(&server.entries(base.image.is_some()), seconds, build.compression, into)?;
            layer.descriptor = build.format.layer(&layer.descriptor)?;
            added.insert(0, (layer, "fbc build: server in /bin/opm"));
        }
        let manifest = manifest(build, base, &added, &mut notes, into)?;
        built.push((base.platform.clone(), manifest));
    }
    let root = match built.as_slice() {
        [(_, only)] => only.clone(),
        several => index(build, several, into)?,
    };
    Ok(Built { root, images: built, layer: shared, notes: notes.into_iter().collect() })
}

/// The platforms with what lies below each.
fn bases<'b>(build: &'b Build<'_>, images: &'b [Image]) -> Result<Vec<Base<'b>>, ImageError> {
    let known = || images.iter().map(|image| image.platform().to_string()).collect();
    let mut wanted = build.platforms.clone();
    if wanted.is_empty() {
        wanted = match (images, build.servers.as_slice()) {
            ([], []) => vec![PlatformName::linux("amd64")],
            ([], servers) => servers.iter().map(|server| server.platform.clone()).collect(),
            (images, _) => images.iter().map(Image::platform).collect(),
        };
    }
    wanted.sort();
    wanted.dedup();
    let base = |platform: PlatformName| {
        let image =
            match build.base {
                None => None,
                Some(_) => {
                    let image = images.iter().find(|image| platform.accepts(&image.platform()));
                    Some(image.ok_or_else(|| ImageError::NoPlatform {
                        wanted: platform.to_string(),
                        known: known(),
                    })?)
                }
            };
        let platform = image.map_or(platform, Image::platform);
        let server = build.servers.iter().find(|server| server.platform.accepts(&platform));
        if let (None, Some((server, interpreter))) =
            (image, server.and_then(|server| Some((server, server.interpreter.as_ref()?))))
        {
            return Err(ImageError::Dynamic { path: server.path.clone(), interpreter: interpreter.clone() });
        }
        if server.is_none() && !build.servers.is_empty() {
            return Err(ImageError::Content {
                path: build.servers.first().map(|server| server.path.clone()).unwrap_or_default(),
                reason: format!("is not a program for {platform}"),
            });
        }
        Ok(Base { platform, image, server })
    };
    wanted.into_iter().map(base).collect()
}

/// Writes the layers of the base, the configuration and the manifest of one platform.
fn manifest(
    build: &Build<'_>,
    base: &Base<'_>,
    added: &[(Layer, &'static str)],
    notes: &mut BTreeSet<BaseNote>,
    into: &BlobFolder,
) -> Result<Descriptor, ImageError> {
    let mut layers = Vec::new();
    let mut annotations = build.annotations.clone();
    if let (Some(image), Some(source)) = (base.image, build.base) {
        for (layer, _) in image.layers()? {
            into.insert(layer, || source.open(layer))?;
            layers.push(canonical::descriptor(&build.format.layer(layer)?));
        }
        if build.format.has_annotations() {
            let digest = || image.descriptor.digest().to_string();
            annotations.entry(BASE_DIGEST.to_owned()).or_insert_with(digest);
            if let Some(name) = &build.base_name {
                annotations.entry(BASE_NAME.to_owned()).or_insert_with(|| name.clone());
            }
        }
    }
    layers.extend(added.iter().map(|(layer, _)| canonical::descriptor(&layer.descriptor)));
    let labels = build.contents.labels.iter().chain(&build.labels);
    let configuration = configuration::configuration(
        base.image.map(|image| &image.raw_configuration),
        &configuration::Changes {
            platform: &base.platform,
            labels: labels.map(|(key, value)| (key.as_str(), value.as_str())).collect(),
            created: &build.created.text,
            layers: added,
            serves: base.server.is_some(),
            catalog: build.contents.catalog.as_deref().filter(|_| base.image.is_some()),
        },
        notes,
    )
    .map_err(|reason| match base.image {
        Some(image) => ImageError::malformed(image.manifest.config().digest().to_string(), reason),
        None => ImageError::malformed("the configuration", reason),
    })?;
    let (bytes, config) = canonical::document(configuration, build.format.configuration());
    into.insert_bytes(&config, &bytes)?;
    let mut manifest = Map::new();
    manifest.insert("schemaVersion".to_owned(), 2.into());
    let media_type = build.format.manifest();
    manifest.insert("mediaType".to_owned(), media_type.to_string().into());
    manifest.insert("config".to_owned(), canonical::descriptor(&config));
    manifest.insert("layers".to_owned(), layers.into());
    if !annotations.is_empty() {
        manifest.insert("annotations".to_owned(), json!(annotations));
    }
    let (bytes, manifest) = canonical::document(Value::Object(manifest), media_type);
    into.insert_bytes(&manifest, &bytes)?;
    Ok(manifest)
}

/// Writes the index of several platforms.
fn index(
    build: &Build<'_>,
    images: &[(PlatformName, Descriptor)],
    into: &BlobFolder,
) -> Result<Descriptor, ImageError> {
    let manifests = images.iter().map(|(platform, manifest)| {
        let mut entry = canonical::descriptor(manifest);
        let mut shown = json!({ "os": platform.os, "architecture": platform.architecture });
        if let (Some(variant), Some(fields)) = (&platform.variant, shown.as_object_mut()) {
            fields.insert("variant".to_owned(), variant.as_str().into());
        }
        if let Some(fields) = entry.as_object_mut() {
            fields.insert("platform".to_owned(), shown);
        }
        entry
    });
    let mut index = json!({
        "schemaVersion": 2,
        "mediaType": build.format.index().to_string(),
        "manifests": manifests.collect::<Vec<_>>(),
    });
    if let (false, Some(fields)) = (build.annotations.is_empty(), index.as_object_mut()) {
        fields.insert("annotations".to_owned(), json!(build.annotations));
    }
    let (bytes, index) = canonical::document(index, build.format.index());
    into.insert_bytes(&index, &bytes)?;
    Ok(index)
}

/// The path of a directory in an image, from the text of a label such as `manifests/`.
fn folder_of(label: &str) -> PathBuf {
    Path::new(label.trim_matches('/')).to_path_buf()
}

#[cfg(test)]
mod tests;
