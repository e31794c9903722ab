//! Whether a release is signed: signatures from ConfigMaps and stores, and the key rings that must vouch for the digest.
//!
//! Sources: `openshift/library-go:pkg/verify/verify.go`, `pkg/verify/store`; `openshift/cluster-version-operator:pkg/cvo/updatepayload.go`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use fbc_signature::openpgp::{self, MessageFault, PublicKey};
use serde_json::Value;

use super::options::Outside;
use crate::release::Payload;

const LABEL: &str = "release.openshift.io/verification-signatures";
const NAMESPACE: &str = "openshift-config-managed";
/// A store is asked for the signatures 1 to 9.
const MOST_SIGNATURES: usize = 9;
const NO_MORE: &str = "no more signatures to check";

/// Why a release counts as not signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unverified {
    /// In a line.
    pub(super) message: String,
    /// What each place said, which only events tell.
    pub(super) details: Vec<String>,
}

impl Unverified {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), details: Vec::new() }
    }

    /// What events add to the message.
    pub(super) fn more(&self) -> String {
        match self.details.as_slice() {
            [] => String::new(),
            [only] => format!("\n{only}"),
            several => format!("\n[{}]", several.join(", ")),
        }
    }
}

/// A key ring of a payload, by the key of the ConfigMap.
struct KeyRing {
    name: String,
    keys: Vec<PublicKey>,
}

/// The ConfigMap of a payload that says how to verify others.
fn settings(payload: &Payload) -> Option<&serde_json::Map<String, Value>> {
    const ANNOTATION: &str = "release.openshift.io/verification-config-map";
    let map = payload.manifests.iter().find(|manifest| {
        manifest.kind() == "ConfigMap" && manifest.object.annotation(ANNOTATION).is_some()
    })?;
    map.object.at(&["data"]).and_then(Value::as_object)
}

/// The stores of signatures that the settings of a payload name.
fn default_stores(data: &serde_json::Map<String, Value>) -> impl Iterator<Item = &str> {
    data.iter().filter(|(key, _)| key.starts_with("store-")).filter_map(|(_, value)| value.as_str())
}

/// Whether a cluster with a payload asks a store of signatures by itself.
pub fn asks_store(payload: &Payload, address: &str) -> bool {
    settings(payload).is_some_and(|data| default_stores(data).any(|one| one == address))
}

/// Whether anything says how to verify releases.
pub(super) fn can_verify(outside: &Outside, payload: &Payload) -> bool {
    outside.verification.is_some() || settings(payload).is_some()
}

fn key_rings(data: &serde_json::Map<String, Value>) -> Vec<KeyRing> {
    let rings = data.iter().filter(|(key, _)| key.starts_with("verifier-public-key-"));
    rings
        .map(|(name, value)| KeyRing {
            name: name.clone(),
            keys: openpgp::keys(value.as_str().unwrap_or_default()),
        })
        .collect()
}

/// Verifies that all key rings vouch for the digest of an image.
pub(super) fn verify(
    api: &ApiServer,
    outside: &Outside,
    payload: &Payload,
    version: &Object,
    image: &str,
) -> Result<(), Unverified> {
    let digest = image.rsplit_once('@').map(|(_, digest)| digest).unwrap_or_default();
    if outside.vouched.contains(digest) {
        return Ok(());
    }
    let Some(data) = outside.verification.as_ref().or_else(|| settings(payload)) else {
        return Err(Unverified::new("verification is not possible"));
    };
    if digest.is_empty() {
        let text = "release images that are not accessed via digest cannot be verified";
        return Err(Unverified::new(text));
    }
    if !has_form(digest) {
        let text = format!("the provided release image digest has an invalid format: {digest:?}");
        return Err(Unverified::new(text));
    }
    let mut search = Search { digest, now: api.now(), remaining: key_rings(data), details: Vec::new() };
    search.everywhere(api, outside, data, version.list(&["spec", "signatureStores"]));
    if search.remaining.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = search.remaining.iter().map(|ring| ring.name.as_str()).collect();
    let message = format!("unable to verify {digest} against keyrings: {}", names.join(", "));
    Err(Unverified { message, details: search.details })
}

/// `ALGORITHM:HEX` in the form that the operator takes.
fn has_form(digest: &str) -> bool {
    let fits = |text: &str, more: &[u8]| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
    };
    digest.split_once(':').is_some_and(|(algorithm, hex)| fits(algorithm, b".+_-") && fits(hex, b"=_-"))
}

/// A search for signatures, until no key ring is left.
struct Search<'s> {
    digest: &'s str,
    now: Moment,
    remaining: Vec<KeyRing>,
    details: Vec<String>,
}

impl Search<'_> {
    fn everywhere(
        &mut self,
        api: &ApiServer,
        outside: &Outside,
        data: &serde_json::Map<String, Value>,
        stores: &[Value],
    ) {
        if self.in_cluster(api) {
            return;
        }
        if !stores.is_empty() {
            let addresses: Vec<&str> = stores.iter().map(|store| store.text(&["url"])).collect();
            if !self.in_stores(outside, &addresses) {
                self.tell(
                    "ClusterVersion spec.signatureStores exhausted without finding a valid signature"
                        .to_owned(),
                );
            }
            return;
        }
        let addresses: Vec<&str> = default_stores(data).collect();
        if self.in_stores(outside, &addresses) {
            return;
        }
        let inner = format!(
            "serial signature store wrapping ClusterVersion signatureStores unset, falling back to default stores, {}",
            described(&addresses)
        );
        self.tell(format!("{inner}: {NO_MORE}"));
        self.tell(format!(
            "serial signature store wrapping config maps in {NAMESPACE} with label {LABEL:?}, {inner}: {NO_MORE}"
        ));
    }

    fn tell(&mut self, text: String) {
        let text = format!("{}: {text}", self.now);
        if !self.details.contains(&text) {
            self.details.push(text);
        }
    }

    /// Looks into the ConfigMaps with signatures. True once no key ring is left.
    fn in_cluster(&mut self, api: &ApiServer) -> bool {
        let prefix = self.digest.replacen(':', "-", 1);
        let mut maps: Vec<&Object> = api
            .all("", "ConfigMap")
            .map(|map| &**map)
            .filter(|map| map.namespace() == NAMESPACE && map.label(LABEL).is_some())
            .collect();
        maps.sort_by(|one, other| one.name().cmp(other.name()));
        for map in maps {
            let data = map.at(&["binaryData"]).and_then(Value::as_object).into_iter().flatten();
            for (_, value) in data.filter(|(key, _)| key.starts_with(&prefix)) {
                let bytes = STANDARD.decode(value.as_str().unwrap_or_default()).unwrap_or_default();
                if self.check(&bytes) {
                    return true;
                }
            }
            self.tell(format!("prefix {prefix} in config map {}: {NO_MORE}", map.name()));
        }
        false
    }

    /// Asks stores for signatures, one after another. True once no key ring is left.
    fn in_stores(&mut self, outside: &Outside, addresses: &[&str]) -> bool {
        let directory = self.digest.replacen(':', "=", 1);
        for address in addresses {
            let place =
                |number: usize| format!("{}/{directory}/signature-{number}", address.trim_end_matches('/'));
            let Some(store) = outside.signature_stores.get(*address) else {
                let host =
                    address.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
                for number in 1..=MOST_SIGNATURES {
                    self.tell(format!(
                        "Get {:?}: dial tcp {host}: connect: connection refused",
                        place(number)
                    ));
                }
                continue;
            };
            let signatures = store.get(self.digest).map(Vec::as_slice).unwrap_or_default();
            for signature in signatures.iter().take(MOST_SIGNATURES) {
                if self.check(signature) {
                    return true;
                }
            }
            if signatures.len() < MOST_SIGNATURES {
                let place = place(signatures.len() + 1);
                self.tell(format!("unable to retrieve signature from {place}: {NO_MORE}"));
            }
        }
        self.tell(format!("{}: {NO_MORE}", described(addresses)));
        false
    }

    /// Takes the key rings away that vouch with a signature. True once none is left.
    fn check(&mut self, signature: &[u8]) -> bool {
        let mut faults = Vec::new();
        let digest = self.digest;
        self.remaining.retain(|ring| {
            let outcome = openpgp::verified(signature, &ring.keys).map_err(StatementFault::Message);
            match outcome.and_then(|text| names(&text, digest)) {
                Ok(()) => false,
                Err(fault) => {
                    faults.push(fault.to_string());
                    true
                }
            }
        });
        for fault in faults {
            self.tell(fault);
        }
        self.remaining.is_empty()
    }
}

fn described(addresses: &[&str]) -> String {
    let stores: Vec<String> =
        addresses.iter().map(|address| format!("containers/image signature store under {address}")).collect();
    let stores = if stores.is_empty() { "no stores".to_owned() } else { stores.join(", ") };
    format!("parallel signature store wrapping {stores}")
}

/// Why a signature does not vouch for a digest.
#[derive(Debug, thiserror::Error)]
enum StatementFault {
    #[error(transparent)]
    Message(MessageFault),
    #[error("the signature is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("signature is not the correct type")]
    Type,
    #[error("signature must have an identity")]
    Identity,
    #[error("signature digest does not match")]
    Digest,
}

/// Whether a statement is about a digest.
fn names(content: &[u8], digest: &str) -> Result<(), StatementFault> {
    let statement: Value = serde_json::from_slice(content)?;
    if statement.text(&["critical", "type"]) != "atomic container signature" {
        return Err(StatementFault::Type);
    }
    if statement.text(&["critical", "identity", "docker-reference"]).is_empty() {
        return Err(StatementFault::Identity);
    }
    if statement.text(&["critical", "image", "docker-manifest-digest"]) != digest {
        return Err(StatementFault::Digest);
    }
    Ok(())
}
