//! Signatures that refer to their image: an in-toto statement in a DSSE envelope, in a sigstore bundle 0.3.
//!
//! Source: `sigstore/protobuf-specs:protos/sigstore_bundle.proto`, `secure-systems-lab/dsse:protocol.md`,
//! `sigstore/cosign:specs/BUNDLE_SPEC.md`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SecureRandom;
use serde_json::{Value, json};

use crate::error::{ErrorKind, SignatureError};
use crate::key::{KeyError, PrivateKey};
use crate::transparency_log::LogEntry;
use crate::trust::{Evidence, Trust};
use crate::unique_fields::UniqueFields;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Bundle, message)
}

/// The media type of bundles, and the type of artifacts that hold one.
pub const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
/// What a statement is about that says no more than that an image is signed.
pub const SIGNATURE: &str = "https://sigstore.dev/cosign/sign/v1";

/// A bundle may hold so many entries of logs. Source: `sigstore/sigstore-go:pkg/verify/tlog.go` (`maxAllowedTlogEntries`).
const MOST_ENTRIES: usize = 32;
const STATEMENT: &str = "application/vnd.in-toto+json";

/// A statement about an image, signed.
///
/// # Errors
/// [`KeyError::Random`]
pub fn write(
    digest: &str,
    predicate_type: &str,
    predicate: &Value,
    key: &PrivateKey,
    random: &dyn SecureRandom,
) -> Result<Vec<u8>, KeyError> {
    let payload = statement(digest, predicate_type, predicate).to_string();
    let signature = key.sign(&authenticated(STATEMENT, payload.as_bytes()), random)?;
    let bundle = json!({
        "mediaType": MEDIA_TYPE,
        "verificationMaterial": { "publicKey": { "hint": key.public_key().hint() }, "tlogEntries": [] },
        "dsseEnvelope": {
            "payload": STANDARD.encode(payload),
            "payloadType": STATEMENT,
            "signatures": [{ "sig": STANDARD.encode(signature) }],
        },
    });
    Ok(bundle.to_string().into_bytes())
}

/// An in-toto statement about an image, not signed.
#[must_use]
pub fn statement(digest: &str, predicate_type: &str, predicate: &Value) -> Value {
    let (algorithm, hex) = digest.split_once(':').unwrap_or(("sha256", digest));
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{ "digest": { algorithm: hex } }],
        "predicateType": predicate_type,
        "predicate": predicate,
    })
}

/// The statement of a bundle, if somebody who is trusted signed it and it is about the image.
///
/// # Errors
/// [`SignatureError`]
pub fn verify(bundle: &[u8], digest: &str, trust: &Trust) -> Result<Value, SignatureError> {
    let UniqueFields(bundle) = serde_json::from_slice(bundle)
        .map_err(|error| refused(format!("it is not JSON: {error}")).because(error))?;
    let kind = bundle["mediaType"].as_str().unwrap_or_default();
    if kind != MEDIA_TYPE {
        return Err(refused(format!("bundles of the type {kind:?} are not supported, only {MEDIA_TYPE}")));
    }
    let envelope = &bundle["dsseEnvelope"];
    let bytes = |value: &Value| value.as_str().and_then(|text| STANDARD.decode(text).ok());
    let (Some(payload), Some(kind)) = (bytes(&envelope["payload"]), envelope["payloadType"].as_str()) else {
        return Err(refused("it holds no DSSE envelope"));
    };
    let material = &bundle["verificationMaterial"];
    let certificate = bytes(&material["certificate"]["rawBytes"]);
    if matches!(trust, Trust::Keys { .. }) && certificate.is_some() {
        return Err(refused("it is signed with a certificate, not with a key"));
    }
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    // Each signature is looked for in each entry, which takes the time of a signature.
    let (entries, signatures) = (list(&material["tlogEntries"]), list(&envelope["signatures"]));
    if entries.len() > MOST_ENTRIES {
        let count = entries.len();
        return Err(refused(format!(
            "it holds {count} entries of transparency logs, more than {MOST_ENTRIES}"
        )));
    }
    let signature = match signatures.as_slice() {
        [one] => bytes(&one["sig"]).ok_or_else(|| refused("its signature is not base64"))?,
        [] => return Err(refused("it is not signed")),
        several => {
            return Err(refused(format!("it holds {} signatures, where bundles hold one", several.len())));
        }
    };
    let evidence = Evidence {
        certificate: Ok(certificate),
        chain: Ok(Vec::new()),
        entries: entries.iter().map(LogEntry::of_bundle).collect(),
    };
    trust.check(&evidence, &authenticated(kind, &payload), &payload, &signature)?;
    if kind != STATEMENT {
        return Err(refused(format!("it signs {kind:?}, not an in-toto statement")));
    }
    let UniqueFields(statement) = serde_json::from_slice(&payload)
        .map_err(|error| refused(format!("its statement is not JSON: {error}")).because(error))?;
    let (algorithm, hex) = digest.split_once(':').unwrap_or_default();
    let subjects = statement["subject"].as_array().into_iter().flatten();
    match subjects.into_iter().any(|subject| subject["digest"][algorithm] == hex) {
        true => Ok(statement),
        false => Err(refused("its statement is about another image")),
    }
}

/// What DSSE signs: the type and the payload with their lengths.
fn authenticated(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;

    use super::*;

    #[test]
    fn lengths_are_part_of_what_is_signed() {
        // The example of the specification.
        let bytes = authenticated("http://example.com/HelloWorld", b"hello world");
        assert_eq!(bytes, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    }

    #[test]
    fn bundles_hold_for_their_image_and_key() {
        let random = SystemRandom::new();
        let key = |passphrase: &[u8]| {
            let (private, _) = PrivateKey::generate(passphrase, &random).unwrap();
            PrivateKey::read(private.as_bytes(), Some(passphrase), &random).unwrap()
        };
        let (ours, other) = (key(b""), key(b"x"));
        let bundle = write("sha256:aa", SIGNATURE, &json!({}), &ours, &random).unwrap();
        let checked = |bundle: &[u8], digest: &str, key: &PrivateKey| {
            verify(bundle, digest, &Trust::in_keys(vec![key.public_key()]))
        };
        assert_eq!(checked(&bundle, "sha256:aa", &ours).unwrap()["predicateType"], SIGNATURE);
        let changed = |from: &str, to: &str| String::from_utf8(bundle.clone()).unwrap().replace(from, to);
        for (outcome, expected) in [
            (checked(&bundle, "sha256:bb", &ours), "its statement is about another image"),
            (checked(&bundle, "sha256:aa", &other), "no trusted key made this signature"),
            (checked(b"x", "sha256:aa", &ours), "it is not JSON"),
            (checked(changed("v0.3", "v0.1").as_bytes(), "sha256:aa", &ours), "bundles of the type"),
            (
                checked(
                    changed(r#""publicKey":{"#, r#""certificate":{"rawBytes":"AA=="},"publicKey":{"#)
                        .as_bytes(),
                    "sha256:aa",
                    &ours,
                ),
                "it is signed with a certificate",
            ),
            (
                checked(changed("in-toto+json", "x").as_bytes(), "sha256:aa", &ours),
                "no trusted key made this signature",
            ),
            (
                checked(changed("dsseEnvelope", "x").as_bytes(), "sha256:aa", &ours),
                "it holds no DSSE envelope",
            ),
        ] {
            let error = outcome.unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
