//! Archives of `docker save`: `manifest.json`, a configuration, and layers as tar files.
//!
//! They have no manifest with digests; one is made while the archive is opened.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use oci_spec::image::{Descriptor, Digest, MediaType};
use serde_json::{Value, json};

use super::archive::ArchiveFile;
use crate::blob::{Hasher, HashingWriter};
use crate::canonical;
use crate::error::ImageError;
use crate::image::ImageSource;
use crate::layer::{Compression, compression_of_bytes};
use crate::store::descriptor_of;

/// An image in an archive of docker.
#[derive(Debug)]
pub struct DockerArchive {
    archive: ArchiveFile,
    root: Descriptor,
    manifest: Vec<u8>,
    /// Files of the archive by their digests.
    files: BTreeMap<String, String>,
}

impl DockerArchive {
    /// Opens the image of a name such as `quay.io/me/catalog:v1`; without one, the only image.
    ///
    /// # Errors
    /// If the file is not an archive of docker, or does not hold the image.
    pub fn open(path: &Path, name: Option<&str>) -> Result<Self, ImageError> {
        let archive = ArchiveFile::open(path)?;
        let malformed = |reason: String| ImageError::malformed(archive.place(), reason);
        let Some(bytes) = archive.document("manifest.json")? else {
            return Err(malformed(match archive.document("repositories")? {
                Some(_) => "was written by docker before 1.10: it has no manifest.json".to_owned(),
                None => "is not an archive of docker: it has no manifest.json".to_owned(),
            }));
        };
        let images: Vec<Value> =
            serde_json::from_slice(&bytes).map_err(|error| malformed(format!("manifest.json: {error}")))?;
        let image = select(&images, name, &archive.place())?;
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let config_name = text(image.get("Config"));
        let config = archive
            .document(&config_name)?
            .ok_or_else(|| malformed(format!("the configuration {config_name:?} is missing")))?;
        let config = descriptor_of(&config, MediaType::ImageConfig);
        let mut files = BTreeMap::from([(config.digest().to_string(), config_name)]);
        let mut layers = Vec::new();
        for layer in image.get("Layers").and_then(Value::as_array).into_iter().flatten() {
            let name = text(Some(layer));
            let descriptor = layer_of(&archive, &name)?
                .ok_or_else(|| malformed(format!("the layer {name:?} is missing")))?;
            files.insert(descriptor.digest().to_string(), name);
            layers.push(canonical::descriptor(&descriptor));
        }
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MediaType::ImageManifest.to_string(),
            "config": canonical::descriptor(&config),
            "layers": layers,
        });
        let (manifest, root) = canonical::document(manifest, MediaType::ImageManifest);
        Ok(Self { archive, root, manifest, files })
    }
}

fn select<'i>(images: &'i [Value], name: Option<&str>, place: &str) -> Result<&'i Value, ImageError> {
    let tags = |image: &'i Value| {
        image.get("RepoTags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    };
    let known = || {
        let mut known: Vec<String> = images.iter().flat_map(tags).map(ToOwned::to_owned).collect();
        known.sort();
        known
    };
    let place = place.to_owned();
    match (name, images) {
        (None, [only]) => Ok(only),
        (None, [_, _, ..]) => Err(ImageError::SeveralImages { place, known: known() }),
        _ => {
            let wanted = name.map(full_name).unwrap_or_default();
            let found = images.iter().find(|image| tags(image).any(|tag| full_name(tag) == wanted));
            found.ok_or_else(|| ImageError::NoImage {
                place,
                name: name.map(ToOwned::to_owned),
                known: known(),
            })
        }
    }
}

/// A name with its tag, and without what docker leaves out.
pub(super) fn full_name(name: &str) -> (String, String) {
    let name = name.strip_prefix("docker.io/").unwrap_or(name);
    let name = name.strip_prefix("library/").unwrap_or(name);
    match name.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => (repository.to_owned(), tag.to_owned()),
        _ => (name.to_owned(), "latest".to_owned()),
    }
}

/// Reads a layer for its digest and size.
fn layer_of(archive: &ArchiveFile, name: &str) -> Result<Option<Descriptor>, ImageError> {
    let Some(mut entry) = archive.open_entry(name)? else { return Ok(None) };
    let mut start = Vec::new();
    let failed = || ImageError::malformed(archive.place(), format!("the layer {name:?} ends too early"));
    entry.by_ref().take(4).read_to_end(&mut start).map_err(|_| failed())?;
    let media_type = compression_of_bytes(&start).map_or(MediaType::ImageLayer, Compression::media_type);
    let mut hashed = HashingWriter::new(io::sink(), Hasher::default());
    io::copy(&mut start.as_slice().chain(entry), &mut hashed).map_err(|_| failed())?;
    Ok(Some(Descriptor::new(media_type, hashed.written, hashed.hasher.finish())))
}

impl ImageSource for DockerArchive {
    fn root(&self) -> &Descriptor {
        &self.root
    }

    fn open(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + '_>, ImageError> {
        let digest: &Digest = descriptor.digest();
        if digest == self.root.digest() {
            return Ok(Box::new(self.manifest.as_slice()));
        }
        let entry = match self.files.get(digest.as_ref()) {
            Some(name) => self.archive.open_entry(name)?,
            None => None,
        };
        match entry {
            Some(entry) => Ok(Box::new(entry)),
            None => Err(ImageError::MissingBlob { digest: digest.clone(), place: self.archive.place() }),
        }
    }
    fn place(&self, descriptor: &Descriptor) -> Result<Option<(PathBuf, u64)>, ImageError> {
        let name = self.files.get(descriptor.digest().as_ref());
        Ok(name.and_then(|name| self.archive.place_of(name)))
    }
}
