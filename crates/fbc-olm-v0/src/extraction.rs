//! What a bundle's image becomes in a ConfigMap, and what is read from there.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-registry/pkg/configmap/configmap_writer.go`, `configmap.go`.

use std::io::{self, Read, Write};
use std::path::Path;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_model::tree::Tree;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use crate::names::{CONTENT_ENCODING, SOURCE_IMAGE};

/// How values are packed.
const ENCODING: &str = "gzip+base64";
/// The file with the annotations of a bundle.
const ANNOTATIONS: &str = "annotations.yaml";
/// No file of a bundle is larger when it is unpacked.
const LARGEST_FILE: u64 = 32 << 20;
/// How annotations of bundles are called that the ConfigMap gets.
const LABELS: [&str; 6] = [
    "operators.operatorframework.io.bundle.manifests.v1",
    "operators.operatorframework.io.bundle.mediatype.v1",
    "operators.operatorframework.io.bundle.metadata.v1",
    "operators.operatorframework.io.bundle.package.v1",
    "operators.operatorframework.io.bundle.channels.v1",
    "operators.operatorframework.io.bundle.channel.default.v1",
];

/// Puts the files of a bundle into a ConfigMap.
///
/// # Errors
/// A file cannot be read.
pub fn fill(map: &mut Object, files: &dyn Tree, image: &str) -> io::Result<()> {
    let mut annotations = Map::new();
    let mut data = Map::new();
    for folder in ["manifests", "metadata"] {
        for entry in files.list(Path::new(folder))? {
            let name = entry.name.to_string_lossy().into_owned();
            let content = files.read(&Path::new(folder).join(&entry.name))?;
            if name == ANNOTATIONS {
                let read = yaml(&content).unwrap_or_default();
                for label in LABELS {
                    annotations.insert(label.to_owned(), read["annotations"].text(&[label]).into());
                }
                continue;
            }
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            packed.write_all(&content)?;
            let text = fbc_go::base64::encode(&packed.finish()?);
            data.insert(key(&name), fbc_go::base64::encode(text.as_bytes()).into());
        }
    }
    annotations.insert(SOURCE_IMAGE.to_owned(), image.into());
    annotations.insert(CONTENT_ENCODING.to_owned(), ENCODING.into());
    map.set(&["metadata", "annotations"], annotations);
    map.remove(&["data"]);
    map.set(&["binaryData"], data);
    Ok(())
}

/// A file name as a key.
fn key(name: &str) -> String {
    let is_allowed = |one: char| one.is_ascii_alphanumeric() || "-._".contains(one);
    name.chars().map(|one| if is_allowed(one) { one } else { '-' }).collect()
}

/// The manifests in a ConfigMap, in the order of their keys.
#[must_use]
pub fn manifests(map: &Object) -> Vec<Value> {
    let is_packed = map.annotation(CONTENT_ENCODING) == Some(ENCODING);
    let data = |field: &str| map.get(field).and_then(Value::as_object).into_iter().flatten();
    let packed = data("binaryData").filter_map(|(key, value)| {
        let bytes = fbc_go::base64::decode(value.as_str()?).ok()?;
        Some((key.clone(), if is_packed { unpacked(&bytes)? } else { bytes }))
    });
    let plain =
        data("data").filter_map(|(key, value)| Some((key.clone(), value.as_str()?.as_bytes().to_vec())));
    let mut files: Vec<(String, Vec<u8>)> = packed.chain(plain).collect();
    files.sort();
    let values = files.iter().filter_map(|(_, bytes)| yaml(bytes));
    values.filter(|value| !value.kind().is_empty()).collect()
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let gzip = fbc_go::base64::decode(std::str::from_utf8(bytes).ok()?).ok()?;
    let mut content = Vec::new();
    GzDecoder::new(gzip.as_slice()).take(LARGEST_FILE).read_to_end(&mut content).ok()?;
    Some(content)
}

fn yaml(bytes: &[u8]) -> Option<Value> {
    let document = fbc_yaml::stream::read_one(bytes).ok()?;
    let value: Value = serde_json::from_str(&fbc_yaml::json_writer::compact(document.root())).ok()?;
    Some(value).filter(Value::is_object)
}

/// An empty ConfigMap for a bundle.
#[must_use]
pub fn empty(namespace: &str, name: &str) -> Object {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}})
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;

    use super::*;

    #[test]
    fn what_is_filled_in_is_read_back() {
        let mut files = MemoryTree::default();
        files.insert("manifests/b.yaml", "kind: B\n");
        files.insert("manifests/a (1).yaml", "kind: A\n");
        files.insert("metadata/annotations.yaml", "annotations: {}\n");
        let mut map = empty("olm", "x");
        fill(&mut map, &files, "registry.example/b:v1").unwrap();
        assert_eq!(map.annotation(SOURCE_IMAGE), Some("registry.example/b:v1"));
        assert!(map.at(&["binaryData", "a--1-.yaml"]).is_some());
        let kinds: Vec<String> = manifests(&map).iter().map(|one| one.kind().to_owned()).collect();
        assert_eq!(kinds, ["A", "B"]);
    }
}
