//! What a signature in a `.sig` tag is over: the simple signing payload with cosign's type.
//!
//! Source: `containers/image:docs/containers-signature.5.md`, `sigstore/sigstore:pkg/signature/payload/payload.go`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{ErrorKind, SignatureError};
use crate::unique_fields::UniqueFields;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Payload, message)
}

/// The media type of a layer with a payload.
pub const MEDIA_TYPE: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
/// The annotation of such a layer that holds the signature, in base64.
pub const SIGNATURE_ANNOTATION: &str = "dev.cosignproject.cosign/signature";

const KIND: &str = "cosign container image signature";

/// A payload.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Payload {
    critical: Critical,
    optional: Option<BTreeMap<String, Value>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Critical {
    identity: Identity,
    image: Image,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Identity {
    docker_reference: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Image {
    docker_manifest_digest: String,
}

impl Payload {
    /// The payload for an image under a name, with annotations.
    #[must_use]
    pub fn new(reference: &str, digest: &str, annotations: &BTreeMap<String, String>) -> Self {
        let optional = annotations.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str())));
        Self {
            critical: Critical {
                identity: Identity { docker_reference: reference.to_owned() },
                image: Image { docker_manifest_digest: digest.to_owned() },
                kind: KIND.to_owned(),
            },
            optional: (!annotations.is_empty()).then(|| optional.collect()),
        }
    }

    /// Reads a payload; what is not one of cosign's is an error.
    ///
    /// # Errors
    /// [`SignatureError`]
    pub fn read(bytes: &[u8]) -> Result<Self, SignatureError> {
        Self::read_of(bytes, KIND)
    }

    /// Reads a payload of another kind of signature.
    ///
    /// # Errors
    /// [`SignatureError`]
    pub(crate) fn read_of(bytes: &[u8], wanted: &str) -> Result<Self, SignatureError> {
        let malformed = |error: &dyn std::fmt::Display| refused(format!("its payload is malformed: {error}"));
        let UniqueFields(written) =
            serde_json::from_slice(bytes).map_err(|error| malformed(&error).because(error))?;
        let Some(optional) = written.get("optional") else {
            return Err(malformed(&"missing field `optional`"));
        };
        let is_whole = |time: &Value| time.as_f64().is_some_and(|time| time.fract() == 0.0);
        if optional.get("creator").is_some_and(|creator| !creator.is_string())
            || optional.get("timestamp").is_some_and(|time| !is_whole(time))
        {
            return Err(malformed(&"`creator` is not a text, or `timestamp` not a whole number"));
        }
        let payload: Self =
            serde_json::from_value(written).map_err(|error| malformed(&error).because(error))?;
        match payload.critical.kind == wanted {
            true => Ok(payload),
            false => {
                Err(refused(format!("its payload has the type {:?}, not {wanted:?}", payload.critical.kind)))
            }
        }
    }

    /// The bytes to sign.
    ///
    /// # Errors
    /// None in practice.
    pub fn bytes(&self) -> Result<Vec<u8>, SignatureError> {
        serde_json::to_vec(self).map_err(|error| refused(error.to_string()).because(error))
    }

    /// The name of the image that was signed.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.critical.identity.docker_reference
    }

    /// The digest of the image that was signed.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.critical.image.docker_manifest_digest
    }

    /// An annotation.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.optional.as_ref()?.get(key)?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_written_as_cosign_writes_them() {
        let payload = Payload::new("quay.io/a/b", "sha256:1", &BTreeMap::new());
        let text = r#"{"critical":{"identity":{"docker-reference":"quay.io/a/b"},"image":{"docker-manifest-digest":"sha256:1"},"type":"cosign container image signature"},"optional":null}"#;
        assert_eq!(String::from_utf8(payload.bytes().unwrap()).unwrap(), text);
        assert_eq!(Payload::read(text.as_bytes()).unwrap(), payload);
        let noted = Payload::new("a", "b", &BTreeMap::from([("k".to_owned(), "v".to_owned())]));
        let noted = Payload::read(&noted.bytes().unwrap()).unwrap();
        assert_eq!((noted.annotation("k"), noted.annotation("x")), (Some("v"), None));
        let other = text.replace("cosign container", "atomic container");
        assert!(Payload::read(other.as_bytes()).unwrap_err().to_string().contains("has the type"));
        for (text, expected) in [
            ("{}".to_owned(), "missing field `optional`"),
            (text.replace(r#","optional":null"#, ""), "missing field `optional`"),
            (text.replace(r#""optional":null"#, r#""optional":{"a":"1","a":"2"}"#), "\"a\" is set twice"),
            (text.replace(r#""optional":null"#, r#""optional":{"creator":1}"#), "`creator` is not a text"),
            (
                text.replace(r#""optional":null"#, r#""optional":{"timestamp":1.5}"#),
                "`creator` is not a text",
            ),
        ] {
            let error = Payload::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("its payload is malformed: {expected}")), "{text}: {error}");
        }
    }
}
