//! Writes archives that `docker load`, podman and skopeo read.
//!
//! Beside `manifest.json` stands the older form, `repositories` with a directory for each layer, as
//! `containers/image:docker/internal/tarfile/writer.go` writes it too.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use oci_spec::image::{Descriptor, Digest};
use serde_json::{Value, json};

use super::docker_archive::full_name;
use crate::blob::{Hasher, HashingWriter, digest_of, read_error};
use crate::canonical;
use crate::error::ImageError;
use crate::image::{Image, ImageSource, document};
use crate::layer::{Content, LayerEntry, append, open_layer};

/// Writes an image of one platform.
pub(super) fn write<W: Write>(
    image: &Image,
    source: &dyn ImageSource,
    name: Option<&str>,
    archive: &mut tar::Builder<W>,
) -> Result<(), ImageError> {
    let mut add =
        |path: &str, entry: LayerEntry| append(archive, Path::new(path), &entry, 0, Path::new("the archive"));
    let bytes = |bytes: Vec<u8>| LayerEntry::File { content: Content::Bytes(bytes), is_executable: false };
    let config = image.manifest.config();
    let config_name = format!("{}.json", config.digest().digest());
    add(&config_name, bytes(document(source, config)?))?;

    let layers = image.layers()?;
    let file_of = |diff_id: &Digest| format!("{}.tar", diff_id.digest());
    let mut identity = String::new();
    for (index, (_, diff_id)) in layers.iter().enumerate() {
        let parent = identity;
        identity =
            digest_of(format!("{parent} {diff_id} {}", config.digest()).as_bytes()).digest().to_owned();
        let mut legacy = json!({ "id": identity });
        if let Some(fields) = legacy.as_object_mut() {
            if !parent.is_empty() {
                fields.insert("parent".to_owned(), parent.into());
            }
            // The topmost layer carries what a container needs.
            for key in ["architecture", "config", "created", "os"] {
                let value = image.raw_configuration.get(key).filter(|_| index + 1 == layers.len());
                fields.extend(value.map(|value| (key.to_owned(), value.clone())));
            }
        }
        add(&identity, LayerEntry::Folder)?;
        add(&format!("{identity}/VERSION"), bytes(b"1.0".to_vec()))?;
        add(&format!("{identity}/json"), bytes(canonical::bytes(legacy)))?;
        let to = format!("../{}", file_of(diff_id));
        add(&format!("{identity}/layer.tar"), LayerEntry::Link(to.into()))?;
    }

    let names: Vec<Value> = layers.iter().map(|(_, diff_id)| file_of(diff_id).into()).collect();
    let tag = name.map(full_name);
    let tags: Vec<String> = tag.iter().map(|(repository, tag)| format!("{repository}:{tag}")).collect();
    let manifest = json!([{ "Config": config_name, "RepoTags": tags, "Layers": names }]);
    add("manifest.json", bytes(canonical::bytes(manifest)))?;
    if let Some((repository, tag)) = tag.filter(|_| !identity.is_empty()) {
        let repositories = json!({ repository: { tag: identity } });
        add("repositories", bytes(canonical::bytes(repositories)))?;
    }
    let mut written = BTreeSet::new();
    for (layer, diff_id) in &layers {
        if written.insert(diff_id.to_string()) {
            add_layer(source, layer, diff_id, &file_of(diff_id), archive)?;
        }
    }
    Ok(())
}

/// Adds a layer without its compression. It is read twice: the size comes first in the archive.
fn add_layer<W: Write>(
    source: &dyn ImageSource,
    layer: &Descriptor,
    diff_id: &Digest,
    name: &str,
    archive: &mut tar::Builder<W>,
) -> Result<(), ImageError> {
    let mut hashed = HashingWriter::new(io::sink(), Hasher::for_digest(diff_id)?);
    io::copy(&mut open_layer(source, layer)?.archive, &mut hashed).map_err(read_error(layer.digest()))?;
    let found = hashed.hasher.finish();
    if found != *diff_id {
        return Err(ImageError::WrongDigest {
            what: "an uncompressed layer",
            expected: diff_id.clone(),
            found,
        });
    }
    let mut header = tar::Header::new_gnu();
    header.set_mode(0o644);
    header.set_size(hashed.written);
    archive
        .append_data(&mut header, name, open_layer(source, layer)?.archive)
        .map_err(read_error(layer.digest()))
}
