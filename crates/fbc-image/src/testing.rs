//! Images in memory, and tar archives as no honest program writes them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::io::Read;

use oci_spec::image::{Descriptor, MediaType};
use serde_json::json;

use crate::blob::digest_of;
use crate::canonical;
use crate::error::ImageError;
use crate::image::ImageSource;
use crate::store::descriptor_of;

/// An image in memory. Blobs may be other than their digests say.
pub(crate) struct MemoryImage {
    pub(crate) root: Descriptor,
    pub(crate) blobs: BTreeMap<String, Vec<u8>>,
}

impl ImageSource for MemoryImage {
    fn root(&self) -> &Descriptor {
        &self.root
    }

    fn open(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + '_>, ImageError> {
        match self.blobs.get(descriptor.digest().as_ref()) {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => {
                Err(ImageError::MissingBlob { digest: descriptor.digest().clone(), place: "memory".into() })
            }
        }
    }
}

impl MemoryImage {
    /// An image of uncompressed layers.
    pub(crate) fn of_layers(layers: &[Vec<u8>]) -> Self {
        let packed = layers.iter().map(|layer| (layer.clone(), MediaType::ImageLayer, layer.clone()));
        Self::of_packed(packed.collect())
    }

    /// An image of blobs with their types, and the archives that they should unpack to.
    pub(crate) fn of_packed(layers: Vec<(Vec<u8>, MediaType, Vec<u8>)>) -> Self {
        let diff_ids: Vec<String> =
            layers.iter().map(|(_, _, archive)| digest_of(archive).to_string()).collect();
        let config = json!({
            "architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/bin"], "Future": 1},
            "rootfs": {"type": "layers", "diff_ids": diff_ids}
        });
        let (config_bytes, config) = canonical::document(config, MediaType::ImageConfig);
        let mut blobs = BTreeMap::from([(config.digest().to_string(), config_bytes)]);
        let mut descriptors = Vec::new();
        for (blob, media_type, _) in layers {
            let descriptor = descriptor_of(&blob, media_type);
            descriptors.push(canonical::descriptor(&descriptor));
            blobs.insert(descriptor.digest().to_string(), blob);
        }
        let manifest = json!({
            "schemaVersion": 2, "mediaType": MediaType::ImageManifest.to_string(),
            "config": canonical::descriptor(&config), "layers": descriptors
        });
        let (bytes, root) = canonical::document(manifest, MediaType::ImageManifest);
        blobs.insert(root.digest().to_string(), bytes);
        Self { root, blobs }
    }
}

/// A header and its content, whatever the path is.
pub(crate) fn raw(kind: u8, path: &str, link: &str, content: &[u8]) -> Vec<u8> {
    raw_sized(kind, path, link, content, content.len() as u64)
}

/// As [`raw`], with a size of its own.
pub(crate) fn raw_sized(kind: u8, path: &str, link: &str, content: &[u8], size: u64) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    let fields = header.as_mut_bytes();
    fields[..path.len()].copy_from_slice(path.as_bytes());
    fields[157..157 + link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_mode(0o6777);
    header.set_size(size);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// Entries with the end of an archive.
pub(crate) fn archive(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}
