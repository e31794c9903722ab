//! The payloads of the recordings and their signatures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::{Subtree, Tree, TreeEntry};
use fbc_openshift::cluster_version::Outside;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::ReplayError;
use super::signer::Signer;

/// The store of the payloads.
const STORE: &str = "http://127.0.0.1:18080/signatures";

/// All payloads, and their key. That of the recordings cannot sign here, so another one takes its place, and signs what it
/// signed; but where a case brings a signature of the recorded key, the key stays.
pub(super) fn outside(
    recordings: &Arc<dyn Tree>,
    case: &Value,
) -> Result<(Outside, Option<String>), ReplayError> {
    let keeps_key = case.list(&["steps"]).iter().any(|step| step.at(&["object", "binaryData"]).is_some());
    let (signer, other) = (Signer::new(1)?, Signer::new(2)?);
    let mut outside = Outside::default();
    let mut store = BTreeMap::new();
    let directory = Path::new("cvo/payloads");
    let entries = recordings
        .list(directory)
        .map_err(|error| ReplayError::Read { file: directory.display().to_string(), error })?;
    for entry in entries {
        let name = entry.name.to_string_lossy().into_owned();
        let hex: String =
            Sha256::digest(format!("release {name}")).iter().map(|byte| format!("{byte:02x}")).collect();
        let inside = Subtree { tree: Arc::clone(recordings), folder: directory.join(&name) };
        let image = format!("example.com/ocp/release@sha256:{hex}");
        let digest = format!("sha256:{hex}");
        let tree: Arc<dyn Tree> = match keeps_key {
            true => Arc::new(inside),
            false => Arc::new(KeyTree { inside, key: signer.public_key() }),
        };
        outside.payloads.insert(image, tree);
        let signature = match name.as_str() {
            "nosig-4.19.1" => continue,
            "wrongkey-4.19.1" => other.sign(&digest),
            "wrongdigest-4.19.1" => signer.sign(&format!("sha256:{}", "0".repeat(64))),
            _ if keeps_key => continue,
            _ => signer.sign(&digest),
        };
        store.insert(digest, vec![signature]);
    }
    outside.signature_stores.insert(STORE.to_owned(), store);
    Ok((outside, (!keeps_key).then(|| signer.public_key())))
}

/// A payload with another key.
struct KeyTree {
    inside: Subtree,
    key: String,
}

impl Tree for KeyTree {
    fn list(&self, directory: &Path) -> std::io::Result<Vec<TreeEntry>> {
        self.inside.list(directory)
    }

    fn read(&self, file: &Path) -> std::io::Result<Vec<u8>> {
        const BEGIN: &str = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
        const END: &str = "-----END PGP PUBLIC KEY BLOCK-----";
        let bytes = self.inside.read(file)?;
        let Ok(text) = std::str::from_utf8(&bytes) else { return Ok(bytes) };
        let (Some(from), Some(to)) = (text.find(BEGIN), text.find(END)) else { return Ok(bytes) };
        let indented: Vec<String> = self.key.trim_end().lines().map(|line| format!("    {line}")).collect();
        let key = indented.join("\n");
        Ok(format!("{}{}{}", &text[..from], key.trim_start(), &text[to + END.len()..]).into_bytes())
    }
}
