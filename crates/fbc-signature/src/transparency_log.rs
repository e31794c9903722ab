//! Entries of a transparency log (Rekor) that come with signatures: the log promises that it has seen a signature, and when.
//!
//! Source: `containers/image:signature/internal/rekor_set.go`, `sigstore/rekor:openapi.yaml`,
//! `sigstore/protobuf-specs:protos/sigstore_rekor.proto`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{ErrorKind, SignatureError};
use crate::trusted_root::Log;
use crate::unique_fields::UniqueFields;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::LogEntry, message)
}

/// The annotation of a layer with a signature that holds the entry.
pub const ANNOTATION: &str = "dev.sigstore.cosign/bundle";

/// An entry, and what the log says to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The entry, in base64.
    body: String,
    /// In seconds since 1970.
    integrated_time: u64,
    log_index: u64,
    /// The SHA-256 of the key of the log, in hexadecimal.
    log_id: String,
    /// The signature of the log over all of that.
    promise: Vec<u8>,
}

/// What an entry must be about.
#[derive(Clone, Copy, Debug)]
pub struct Logged<'l> {
    /// The public key or the certificate, in DER.
    pub verifier: &'l [u8],
    /// The signature.
    pub signature: &'l [u8],
    /// What is signed: of an envelope its payload.
    pub payload: &'l [u8],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Annotation {
    #[serde(rename = "SignedEntryTimestamp")]
    promise: String,
    #[serde(rename = "Payload")]
    payload: Payload,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    body: String,
    #[serde(rename = "integratedTime")]
    integrated_time: u64,
    #[serde(rename = "logIndex")]
    log_index: u64,
    #[serde(rename = "logID")]
    log_id: String,
}

impl LogEntry {
    /// Reads the annotation of a signature in a tag.
    ///
    /// # Errors
    /// [`SignatureError`]
    pub fn read(text: &str) -> Result<Self, SignatureError> {
        let malformed = |error: &dyn std::fmt::Display| {
            refused(format!("its entry of a transparency log is malformed: {error}"))
        };
        let UniqueFields(value) =
            serde_json::from_str(text).map_err(|error| malformed(&error).because(error))?;
        let Annotation { promise, payload } =
            serde_json::from_value(value).map_err(|error| malformed(&error).because(error))?;
        let promise = STANDARD.decode(promise).map_err(|error| malformed(&error).because(error))?;
        let Payload { body, integrated_time, log_index, log_id } = payload;
        Ok(Self { body, integrated_time, log_index, log_id, promise })
    }

    /// Reads an entry of a sigstore bundle.
    ///
    /// # Errors
    /// In words; also for entries without a promise, as newer logs make them.
    pub fn of_bundle(entry: &Value) -> Result<Self, SignatureError> {
        let bytes = |value: &Value| value.as_str().and_then(|text| STANDARD.decode(text).ok());
        // Numbers of 64 bits are texts in the JSON of protocol buffers.
        let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
        let Some(promise) = bytes(&entry["inclusionPromise"]["signedEntryTimestamp"]) else {
            return Err(refused(
                "its log entry has no signed entry timestamp; entries of Rekor v2 are not supported",
            ));
        };
        let parts = (
            entry["canonicalizedBody"].as_str(),
            number(&entry["integratedTime"]),
            number(&entry["logIndex"]),
            bytes(&entry["logId"]["keyId"]),
        );
        let (Some(body), Some(integrated_time), Some(log_index), Some(log_id)) = parts else {
            return Err(refused("its entry of a transparency log is malformed"));
        };
        let log_id = hexadecimal(&log_id);
        Ok(Self { body: body.to_owned(), integrated_time, log_index, log_id, promise })
    }

    /// Reads the answer of a log that has taken an entry.
    ///
    /// # Errors
    /// [`SignatureError`]
    pub fn of_log(answer: &Value) -> Result<Self, SignatureError> {
        let entry = answer.as_object().and_then(|entries| entries.values().next()).unwrap_or(&Value::Null);
        let promise = entry["verification"]["signedEntryTimestamp"].as_str();
        let Some(promise) = promise.and_then(|text| STANDARD.decode(text).ok()) else {
            return Err(refused("the answer holds no promise of the log"));
        };
        let parts = (
            entry["body"].as_str(),
            entry["integratedTime"].as_u64(),
            entry["logIndex"].as_u64(),
            entry["logID"].as_str(),
        );
        let (Some(body), Some(integrated_time), Some(log_index), Some(log_id)) = parts else {
            return Err(refused("the answer holds no entry of the log"));
        };
        let (body, log_id) = (body.to_owned(), log_id.to_owned());
        Ok(Self { body, integrated_time, log_index, log_id, promise })
    }

    /// The entry as the annotation of a signature in a tag.
    #[must_use]
    pub fn to_annotation(&self) -> String {
        let payload = json!({
            "body": self.body, "integratedTime": self.integrated_time, "logIndex": self.log_index, "logID": self.log_id,
        });
        json!({ "SignedEntryTimestamp": STANDARD.encode(&self.promise), "Payload": payload }).to_string()
    }

    /// When the log saw a signature, in seconds since 1970, if one of the logs says so and the entry is about that
    /// signature.
    ///
    /// # Errors
    /// [`SignatureError`]
    pub fn time(&self, logs: &[Log], logged: Logged<'_>) -> Result<u64, SignatureError> {
        let promised = self.promised()?;
        let is_of = |log: &Log| {
            log.period.contains(self.integrated_time) && log.key.verifies(promised.as_bytes(), &self.promise)
        };
        if !logs.iter().any(is_of) {
            return Err(refused("its entry of a transparency log is not signed by a log that is trusted"));
        }
        let malformed = || refused("the body of its entry of a transparency log is malformed");
        let body = STANDARD.decode(&self.body).map_err(|_| malformed())?;
        let UniqueFields(body) = serde_json::from_slice(&body).map_err(|_| malformed())?;
        match is_about(&body, logged)? {
            true => Ok(self.integrated_time),
            false => Err(refused("its entry of a transparency log is about another signature")),
        }
    }

    /// What the log signs: canonical JSON.
    fn promised(&self) -> Result<String, SignatureError> {
        let text = |text: &str| {
            serde_json::to_string(text).map_err(|error| refused(error.to_string()).because(error))
        };
        let (body, id) = (text(&self.body)?, text(&self.log_id)?);
        let (time, index) = (self.integrated_time, self.log_index);
        Ok(format!(r#"{{"body":{body},"integratedTime":{time},"logID":{id},"logIndex":{index}}}"#))
    }
}

fn is_about(body: &Value, logged: Logged<'_>) -> Result<bool, SignatureError> {
    let bytes = |value: &Value| value.as_str().and_then(|text| STANDARD.decode(text).ok());
    let verifier = |value: &Value| Some(pem::parse(bytes(value)?).ok()?.into_contents());
    let hash = hexadecimal(digest(&SHA256, logged.payload).as_ref());
    let is_hash = |value: &Value| value["algorithm"] == "sha256" && value["value"] == hash.as_str();
    let spec = &body["spec"];
    match (body["kind"].as_str(), body["apiVersion"].as_str()) {
        (Some("hashedrekord"), Some("0.0.1")) => {
            let signature = &spec["signature"];
            Ok(is_hash(&spec["data"]["hash"])
                && bytes(&signature["content"]).as_deref() == Some(logged.signature)
                && verifier(&signature["publicKey"]["content"]).as_deref() == Some(logged.verifier))
        }
        (Some("dsse"), Some("0.0.1")) => {
            let mut signatures = spec["signatures"].as_array().into_iter().flatten();
            Ok(is_hash(&spec["payloadHash"])
                && signatures.any(|one| {
                    bytes(&one["signature"]).as_deref() == Some(logged.signature)
                        && verifier(&one["verifier"]).as_deref() == Some(logged.verifier)
                }))
        }
        (kind, version) => Err(refused(format!(
            "entries of transparency logs of the kind {} {} are not supported",
            kind.unwrap_or("unknown"),
            version.unwrap_or_default()
        ))),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a log is asked to take: the entry of a signature over a payload.
#[must_use]
pub fn proposed(verifier_pem: &str, signature: &[u8], payload: &[u8]) -> Value {
    let hash = hexadecimal(digest(&SHA256, payload).as_ref());
    json!({
        "apiVersion": "0.0.1",
        "kind": "hashedrekord",
        "spec": {
            "data": { "hash": { "algorithm": "sha256", "value": hash } },
            "signature": {
                "content": STANDARD.encode(signature),
                "publicKey": { "content": STANDARD.encode(verifier_pem) },
            },
        },
    })
}
