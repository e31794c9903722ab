//! Secrets that hold the objects of a revision.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/applier/secretpacker.go`.

use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use fbc_cluster::object::{Object, ObjectFields};
use fbc_go::json;
use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::names;

/// How many bytes of data a Secret takes, and from how many on an object is compressed.
const LARGEST: usize = 900 * 1024;

/// For whom objects are packed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packer<'p> {
    /// The revision.
    pub(super) revision: &'p str,
    /// The extension.
    pub(super) owner: &'p str,
    /// The namespace of the Secrets.
    pub(super) namespace: &'p str,
}

impl Packer<'_> {
    /// Moves the objects of phases into Secrets: gives the phases with references in their place, and the Secrets.
    pub(super) fn pack(&self, phases: &Value) -> Result<(Value, Vec<Object>), PackError> {
        // With the places of the objects, but not the objects: they are most of it.
        let mut places = without_objects(phases);
        let mut secrets = Vec::new();
        let mut open = OpenSecret::default();
        let written = phases.as_array().into_iter().flatten();
        for (phase_index, (phase, written)) in places.iter_mut().zip(written).enumerate() {
            let entries = phase.place(&["objects"]).as_array_mut().into_iter().flatten();
            for (index, (entry, written)) in entries.zip(written.list(&["objects"])).enumerate() {
                let Some(object) = written.given(&["object"]) else { continue };
                let data = packed(&json::encode(object), phase_index, index)?;
                let key = URL_SAFE_NO_PAD.encode(Sha256::digest(&data));
                if !open.data.contains_key(&key) {
                    if open.size + data.len() > LARGEST && !open.data.is_empty() {
                        secrets.push(self.close(std::mem::take(&mut open)));
                    }
                    open.size += data.len();
                    open.data.insert(key.clone(), data);
                }
                entry.set(&["ref", "key"], key);
                open.references.push(entry.place(&["ref"]));
            }
        }
        if !open.data.is_empty() {
            secrets.push(self.close(open));
        }
        Ok((places.into(), secrets))
    }

    /// Names a Secret after its content, and tells the references of its objects.
    fn close(&self, open: OpenSecret<'_>) -> Object {
        let mut hash = Sha256::new();
        for (key, data) in &open.data {
            hash.update(key);
            hash.update(data);
        }
        let digest = hash.finalize();
        let hexadecimal: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{}-{hexadecimal}", self.revision);
        for reference in open.references {
            reference.set(&["name"], name.as_str());
            reference.set(&["namespace"], self.namespace);
        }
        let data: Map<String, Value> =
            open.data.into_iter().map(|(key, data)| (key, STANDARD.encode(data).into())).collect();
        json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": name,
                "namespace": self.namespace,
                "labels": {names::REVISION_NAME: self.revision, names::OWNER_NAME: self.owner},
            },
            "immutable": true,
            "type": names::OBJECT_DATA,
            "data": data,
        })
    }
}

/// Phases as they are, without their objects.
fn without_objects(phases: &Value) -> Vec<Value> {
    let copied = |value: &Value, except: &str| {
        let members = value.as_object().into_iter().flatten().filter(|(name, _)| *name != except);
        members.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>()
    };
    let phase = |phase: &Value| {
        let mut copy = copied(phase, "objects");
        let entries: Vec<Map<_, _>> =
            phase.list(&["objects"]).iter().map(|entry| copied(entry, "object")).collect();
        copy.insert("objects".to_owned(), entries.into());
        Value::Object(copy)
    };
    phases.as_array().into_iter().flatten().map(phase).collect()
}

/// A Secret that still takes objects.
#[derive(Debug, Default)]
struct OpenSecret<'r> {
    data: BTreeMap<String, Vec<u8>>,
    size: usize,
    /// The references to its objects, which learn its name once it is full.
    references: Vec<&'r mut Value>,
}

/// Why an object does not fit into a Secret.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It cannot be compressed.
    #[error("compressing object in phase {phase} index {index}: {error}")]
    Compression {
        /// The number of its phase.
        phase: usize,
        /// Its number in the phase.
        index: usize,
        /// Why not.
        error: std::io::Error,
    },
    /// It is too large even then.
    #[error(
        "object in phase {phase} index {index} exceeds maximum Secret data size ({size} bytes > {LARGEST} bytes) even after \
         compression"
    )]
    TooLarge {
        /// The number of its phase.
        phase: usize,
        /// Its number in the phase.
        index: usize,
        /// Its bytes.
        size: usize,
    },
}

/// The bytes of an object, compressed if there are many.
fn packed(text: &str, phase: usize, index: usize) -> Result<Vec<u8>, PackError> {
    if text.len() <= LARGEST {
        return Ok(text.as_bytes().to_vec());
    }
    let failed = |error: std::io::Error| PackError::Compression { phase, index, error };
    let mut writer = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::best());
    writer.write_all(text.as_bytes()).map_err(failed)?;
    let data = writer.finish().map_err(failed)?;
    if data.len() > LARGEST {
        return Err(PackError::TooLarge { phase, index, size: data.len() });
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKER: Packer<'_> = Packer { revision: "demo-1", owner: "demo", namespace: "olmv1-system" };

    fn phases(texts: &[String]) -> Value {
        let objects: Vec<Value> = texts
            .iter()
            .map(|text| json!({"object": {"kind": "ConfigMap", "data": {"text": text}}}))
            .collect();
        json!([{"name": "configuration", "objects": objects}])
    }

    /// Text that does not compress to less than three quarters.
    fn noise(bytes: usize, seed: u8) -> String {
        let mut block = Sha256::digest([seed]).to_vec();
        let mut text = String::new();
        while text.len() < bytes {
            text.push_str(&STANDARD.encode(&block));
            block = Sha256::digest(&block).to_vec();
        }
        text
    }

    #[test]
    fn equal_objects_are_kept_once_and_secrets_are_named_after_their_content() {
        let (refs, secrets) = PACKER.pack(&phases(&["a".into(), "b".into(), "a".into()])).expect("packed");
        assert_eq!(secrets.len(), 1);
        assert_eq!(secrets[0]["data"].as_object().map(Map::len), Some(2));
        let objects = refs[0].list(&["objects"]);
        assert_eq!(objects[0], objects[2]);
        assert_eq!(objects[0].text(&["ref", "name"]), secrets[0].name());
        let other = Packer { revision: "demo-2", ..PACKER };
        let (_, others) = other.pack(&phases(&["b".into(), "a".into()])).expect("packed");
        assert_eq!(others[0].name().strip_prefix("demo-2"), secrets[0].name().strip_prefix("demo-1"));
    }

    #[test]
    fn full_secrets_are_followed_by_others() {
        let large = |seed| noise(400 * 1024, seed);
        let (refs, secrets) = PACKER.pack(&phases(&[large(1), large(2), large(3)])).expect("packed");
        assert_eq!(secrets.len(), 2);
        let objects = refs[0].list(&["objects"]);
        let names: Vec<&str> = objects.iter().map(|object| object.text(&["ref", "name"])).collect();
        assert_eq!(names, [secrets[0].name(), secrets[0].name(), secrets[1].name()]);
    }

    #[test]
    fn large_objects_are_compressed_or_refused() {
        let (_, secrets) = PACKER.pack(&phases(&["a".repeat(LARGEST)])).expect("packed");
        let data =
            secrets[0]["data"].as_object().and_then(|data| data.values().next()).and_then(Value::as_str);
        let bytes = STANDARD.decode(data.unwrap_or_default()).expect("base64");
        assert_eq!(bytes[..2], [0x1f, 0x8b]);
        let error = PACKER.pack(&phases(&[noise(2 * LARGEST, 1)])).expect_err("too large").to_string();
        assert!(error.starts_with("object in phase 0 index 0 exceeds maximum Secret data size ("), "{error}");
    }
}
