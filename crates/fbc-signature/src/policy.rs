//! `policy.json`: which signatures images must have.
//!
//! Source: `containers/image:docs/containers-policy.json.5.md`, `signature/policy_config.go`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use crate::identity::{ImageName, SignedIdentity};
use crate::key::PublicKey;
use crate::payload::Payload;
use crate::unique_fields::UniqueFields;

/// A policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    default: Vec<Requirement>,
    /// By scope, for images of registries.
    docker: BTreeMap<String, Vec<Requirement>>,
}

/// What an image must fulfil. All requirements of a scope count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// `insecureAcceptAnything`
    AcceptAnything,
    /// `reject`
    Reject,
    /// `sigstoreSigned` with keys; one signature of any of them is enough.
    SigstoreSigned {
        /// The keys.
        keys: Vec<KeySource>,
        /// What the signature must be for.
        identity: SignedIdentity,
    },
    /// What cannot be checked here, with its name.
    Unsupported(String),
}

/// Where a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// In a file.
    Path(PathBuf),
    /// In the policy.
    Data(Vec<u8>),
}

/// A signature as registries hold it: a payload and what signs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The bytes that are signed.
    pub payload: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    default: Vec<Value>,
    #[serde(default)]
    transports: BTreeMap<String, BTreeMap<String, Vec<Value>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WrittenSigstore {
    #[serde(rename = "type")]
    _kind: String,
    key_path: Option<PathBuf>,
    key_data: Option<String>,
    key_paths: Option<Vec<PathBuf>>,
    key_datas: Option<Vec<String>>,
    fulcio: Option<Value>,
    pki: Option<Value>,
    rekor_public_key_path: Option<Value>,
    rekor_public_key_data: Option<Value>,
    rekor_public_key_paths: Option<Value>,
    rekor_public_key_datas: Option<Value>,
    signed_identity: Option<SignedIdentity>,
}

impl Policy {
    /// A policy that accepts every image.
    #[must_use]
    pub fn accept_anything() -> Self {
        Self { default: vec![Requirement::AcceptAnything], docker: BTreeMap::new() }
    }

    /// Reads a policy. Unknown fields, fields that are set twice and empty lists of requirements are errors, as a policy that
    /// is read otherwise than it was meant protects nobody.
    ///
    /// # Errors
    /// In words.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let UniqueFields(written) = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let written: Written = serde_json::from_value(written).map_err(|error| error.to_string())?;
        let default = requirements(&written.default).map_err(|error| format!("default: {error}"))?;
        let mut docker = BTreeMap::new();
        for (transport, scopes) in written.transports {
            for (scope, values) in scopes {
                let place = format!("transports.{transport}.{scope:?}");
                let found = requirements(&values).map_err(|error| format!("{place}: {error}"))?;
                if transport == "docker" {
                    docker.insert(scope, found);
                }
            }
        }
        Ok(Self { default, docker })
    }

    /// What an image of a registry must fulfil, and the scope that says so.
    #[must_use]
    pub fn requirements(&self, image: &ImageName) -> (&[Requirement], String) {
        let scopes = image.scopes().into_iter().chain([String::new()]);
        for scope in scopes {
            if let Some(found) = self.docker.get(&scope) {
                return (found, format!("transports.docker.{scope:?}"));
            }
        }
        (&self.default, "default".to_owned())
    }
}

fn requirements(values: &[Value]) -> Result<Vec<Requirement>, String> {
    match values {
        [] => Err("the list of requirements is empty".to_owned()),
        values => values.iter().map(requirement).collect(),
    }
}

fn requirement(value: &Value) -> Result<Requirement, String> {
    let kind = value["type"].as_str().ok_or("a requirement has no type")?;
    let is_bare = || value.as_object().is_some_and(|fields| fields.len() == 1);
    match kind {
        "insecureAcceptAnything" if is_bare() => Ok(Requirement::AcceptAnything),
        "reject" if is_bare() => Ok(Requirement::Reject),
        "insecureAcceptAnything" | "reject" => Err(format!("{kind} has no other fields")),
        "signedBy" | "signedBaseLayer" => Ok(Requirement::Unsupported(kind.to_owned())),
        "sigstoreSigned" => sigstore_signed(value),
        other => Err(format!("the type {other:?} is not known")),
    }
}

fn sigstore_signed(value: &Value) -> Result<Requirement, String> {
    let written: WrittenSigstore =
        serde_json::from_value(value.clone()).map_err(|error| format!("sigstoreSigned: {error}"))?;
    // serde lets variants without fields have any.
    let kind = value["signedIdentity"]["type"].as_str().unwrap_or_default();
    let is_bare = value["signedIdentity"].as_object().is_none_or(|fields| fields.len() == 1);
    if kind.starts_with("match") && !is_bare {
        return Err(format!("sigstoreSigned: signedIdentity: {kind} has no other fields"));
    }
    if let Some(identity) = &written.signed_identity {
        identity.check().map_err(|problem| format!("sigstoreSigned: signedIdentity: {problem}"))?;
    }
    let rekor = [
        &written.rekor_public_key_path,
        &written.rekor_public_key_data,
        &written.rekor_public_key_paths,
        &written.rekor_public_key_datas,
    ];
    let unsupported = [
        ("fulcio", written.fulcio.is_some()),
        ("pki", written.pki.is_some()),
        ("a Rekor key", rekor.iter().any(|one| one.is_some())),
    ];
    if let Some((what, _)) = unsupported.iter().find(|(_, is_there)| *is_there) {
        return Ok(Requirement::Unsupported(format!("sigstoreSigned with {what}")));
    }
    let data = |text: String| {
        STANDARD
            .decode(text)
            .map(KeySource::Data)
            .map_err(|_| "sigstoreSigned: a key is not base64".to_owned())
    };
    let several = written.key_datas.into_iter().flatten().map(data);
    let mut keys = match (written.key_path, written.key_data) {
        (Some(_), Some(_)) => Vec::new(),
        (Some(path), None) => vec![KeySource::Path(path)],
        (None, Some(text)) => vec![data(text)?],
        (None, None) => Vec::new(),
    };
    let is_single = !keys.is_empty();
    keys.extend(written.key_paths.into_iter().flatten().map(KeySource::Path));
    let paths = keys.len();
    keys.extend(several.collect::<Result<Vec<_>, _>>()?);
    if keys.is_empty() || is_single && keys.len() > 1 || !is_single && paths > 0 && keys.len() > paths {
        return Err(
            "sigstoreSigned: exactly one of keyPath, keyPaths, keyData and keyDatas is needed".to_owned()
        );
    }
    Ok(Requirement::SigstoreSigned { keys, identity: written.signed_identity.unwrap_or_default() })
}

/// Whether one of the signatures holds for an image.
///
/// # Errors
/// Why none does.
pub fn check(
    signatures: &[Signature],
    keys: &[PublicKey],
    identity: &SignedIdentity,
    image: &ImageName,
    digest: &str,
) -> Result<Payload, String> {
    let mut reasons: Vec<String> = Vec::new();
    for Signature { payload, signature } in signatures {
        if !keys.iter().any(|key| key.verifies(payload, signature)) {
            reasons.push("a signature is not of the key".to_owned());
            continue;
        }
        match Payload::read(payload) {
            Err(reason) => reasons.push(reason),
            Ok(payload) if payload.digest() != digest => {
                reasons.push(format!("a signature is for {}", payload.digest()));
            }
            Ok(payload) if !identity.matches(image, payload.reference()) => {
                reasons.push(format!("a signature is for the name {}", payload.reference()));
            }
            Ok(payload) => return Ok(payload),
        }
    }
    reasons.dedup();
    match reasons.as_slice() {
        [] => Err("it has no signatures".to_owned()),
        reasons => Err(reasons.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ring::rand::SystemRandom;
    use serde_json::json;

    use super::*;
    use crate::key::PrivateKey;

    fn name(text: &str) -> ImageName {
        ImageName::parse(text).unwrap()
    }

    #[test]
    fn the_longest_scope_counts() {
        let policy = json!({
            "default": [{"type": "reject"}],
            "transports": {
                "docker": {
                    "": [{"type": "insecureAcceptAnything"}],
                    "q.io": [{"type": "signedBy", "keyType": "GPGKeys", "keyPath": "/k"}],
                    "q.io/a": [{"type": "sigstoreSigned", "keyPath": "/k", "signedIdentity": {"type": "matchRepository"}}],
                    "q.io/a/b:v1": [{"type": "reject"}],
                    "*.example": [{"type": "sigstoreSigned", "keyData": "eA==", "fulcio": {}}],
                },
                "oci": {"/x": [{"type": "reject"}]},
            },
        });
        let policy = Policy::read(policy.to_string().as_bytes()).unwrap();
        for (image, scope) in [
            ("q.io/a/b:v1", "transports.docker.\"q.io/a/b:v1\""),
            ("q.io/a/b:v2", "transports.docker.\"q.io/a\""),
            ("q.io/ab:v2", "transports.docker.\"q.io\""),
            ("r.example:5000/x:1", "transports.docker.\"*.example\""),
            ("else.io/x:1", "transports.docker.\"\""),
        ] {
            assert_eq!(policy.requirements(&name(image)).1, scope, "{image}");
        }
        let of = |image: &str| policy.requirements(&name(image)).0.to_vec();
        assert_eq!(of("q.io/x:1"), [Requirement::Unsupported("signedBy".to_owned())]);
        assert_eq!(of("r.example/x:1"), [Requirement::Unsupported("sigstoreSigned with fulcio".to_owned())]);
        let keys = vec![KeySource::Path(PathBuf::from("/k"))];
        assert_eq!(
            of("q.io/a:1"),
            [Requirement::SigstoreSigned { keys, identity: SignedIdentity::MatchRepository }]
        );
        let strict = Policy::read(br#"{"default": [{"type": "reject"}]}"#).unwrap();
        assert_eq!(strict.requirements(&name("a")), (&[Requirement::Reject][..], "default".to_owned()));
    }

    #[test]
    fn what_is_not_a_policy() {
        let of = |requirement: Value| json!({ "default": [requirement] }).to_string();
        let identity = |identity: Value| {
            of(json!({"type": "sigstoreSigned", "keyPath": "a", "signedIdentity": identity}))
        };
        for (text, expected) in [
            ("{}".to_owned(), "missing field `default`"),
            (r#"{"default": []}"#.to_owned(), "default: the list of requirements is empty"),
            (r#"{"default": [{"type": "reject"}], "x": 1}"#.to_owned(), "unknown field `x`"),
            (of(json!({})), "default: a requirement has no type"),
            (of(json!({"type": "reject", "x": 1})), "default: reject has no other fields"),
            (of(json!({"type": "other"})), "default: the type \"other\" is not known"),
            (of(json!({"type": "sigstoreSigned"})), "default: sigstoreSigned: exactly one of keyPath"),
            (
                of(json!({"type": "sigstoreSigned", "keyPath": "a", "keyData": "eA=="})),
                "default: sigstoreSigned: exactly one of",
            ),
            (
                of(json!({"type": "sigstoreSigned", "keyPath": "a", "keyPaths": ["b"]})),
                "default: sigstoreSigned: exactly one of",
            ),
            (
                of(json!({"type": "sigstoreSigned", "keyPaths": ["a"], "keyDatas": ["eA=="]})),
                "default: sigstoreSigned: exactly one of",
            ),
            (
                of(json!({"type": "sigstoreSigned", "keyData": "!"})),
                "default: sigstoreSigned: a key is not base64",
            ),
            (
                of(json!({"type": "sigstoreSigned", "key": "!"})),
                "default: sigstoreSigned: unknown field `key`",
            ),
            (
                of(json!({"type": "sigstoreSigned", "keyPath": "a", "signedIdentity": {"type": "x"}})),
                "default: sigstoreSigned: unknown variant `x`",
            ),
            (
                of(json!({"type": "sigstoreSigned", "keyPath": "a", "signedIdentity": {"type": "matchExact", "prefix": "x"}})),
                "default: sigstoreSigned: signedIdentity: matchExact has no other fields",
            ),
            (identity(json!({"type": "exactReference", "dockerReference": "q.io/a"})), "default: sigstoreSigned: signedIdentity: dockerReference \"q.io/a\" has neither"),
            (identity(json!({"type": "exactReference", "dockerReference": "Q q"})), "default: sigstoreSigned: signedIdentity: dockerReference \"Q q\" is not"),
            (identity(json!({"type": "exactRepository", "dockerRepository": "q.io/A"})), "default: sigstoreSigned: signedIdentity: dockerRepository"),
            (identity(json!({"type": "remapIdentity", "prefix": "q.io/a:1", "signedPrefix": "q.io"})), "default: sigstoreSigned: signedIdentity: the prefix \"q.io/a:1\""),
            (identity(json!({"type": "remapIdentity", "prefix": "q.io", "signedPrefix": "q.io/"})), "default: sigstoreSigned: signedIdentity: the prefix \"q.io/\""),
            (r#"{"default": [{"type": "reject", "type": "insecureAcceptAnything"}]}"#.to_owned(), "\"type\" is set twice"),
            (
                r#"{"default": [{"type": "reject"}], "transports": {"docker": {"q.io": [{"type": "reject"}], "q.io": [{"type": "reject"}]}}}"#.to_owned(),
                "\"q.io\" is set twice",
            ),
        ] {
            let error = Policy::read(text.as_bytes()).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn one_good_signature_is_enough() {
        let random = SystemRandom::new();
        let key = || {
            let (private, _) = PrivateKey::generate(b"", &random).unwrap();
            PrivateKey::read(private.as_bytes(), Some(b""), &random).unwrap()
        };
        let (ours, other) = (key(), key());
        let sign = |key: &PrivateKey, reference: &str, digest: &str| {
            let payload = Payload::new(reference, digest, &BTreeMap::new()).bytes().unwrap();
            Signature { signature: key.sign(&payload, &random).unwrap(), payload }
        };
        let check = |signatures: &[Signature]| {
            let keys = [ours.public_key()];
            check(signatures, &keys, &SignedIdentity::default(), &name("q.io/a:1"), "sha256:1").map(drop)
        };
        let (good, foreign) = (sign(&ours, "q.io/a:1", "sha256:1"), sign(&other, "q.io/a:1", "sha256:1"));
        assert_eq!(check(&[foreign.clone(), good]), Ok(()));
        for (signatures, expected) in [
            (vec![], "it has no signatures"),
            (vec![foreign.clone(), foreign], "a signature is not of the key"),
            (vec![sign(&ours, "q.io/a:2", "sha256:1")], "a signature is for the name q.io/a:2"),
            (vec![sign(&ours, "q.io/a:1", "sha256:2")], "a signature is for sha256:2"),
        ] {
            assert_eq!(check(&signatures).unwrap_err(), expected);
        }
    }
}
