//! Who signs: a key, or somebody whom an authority certifies a key that lives as long as the command.
//!
//! Source: `sigstore/fulcio:docs/how-certificate-issuing-works.md`, `fulcio.swagger.json`; `sigstore/rekor:openapi.yaml`;
//! `sigstore/cosign:specs/SIGNATURE_SPEC.md`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use fbc_signature::certificate::{public_key_info, read_pem};
use fbc_signature::transparency_log::{self, LogEntry, proposed};
use fbc_signature::trust::{CERTIFICATE_ANNOTATION, CHAIN_ANNOTATION};
use fbc_signature::{PrivateKey, Signature};
use fbc_source::Error;
use fbc_source::OpenSession;
use ring::rand::SystemRandom;
use serde_json::{Value, json};

use crate::input;
use crate::settings::Settings;

/// Whom an authority is to certify, and where that is recorded.
#[derive(Clone, Debug)]
pub struct CertificateRequest {
    /// The file with a token of an OpenID Connect issuer.
    pub identity_token: PathBuf,
    /// The authority (Fulcio).
    pub fulcio_url: String,
    /// The transparency log (Rekor).
    pub rekor_url: String,
}

/// Who signs.
pub enum Signer {
    /// A key.
    Key(PrivateKey),
    /// Who has a certificate.
    Certified(Certified),
}

/// A key of this run, and its certificate.
pub struct Certified {
    key: PrivateKey,
    /// The certificate and those above it, in PEM.
    chain: Vec<String>,
    log: String,
    /// What was signed in this run, by payload: nobody can sign it again, since the key goes.
    made: RefCell<BTreeMap<Vec<u8>, Signature>>,
}

impl Signer {
    /// Whether a signature is ours.
    pub fn made(&self, signature: &Signature, payload: &[u8]) -> bool {
        match self {
            Self::Key(key) => {
                signature.payload == payload && key.public_key().verifies(payload, &signature.signature)
            }
            Self::Certified(certified) => {
                certified.made.borrow().get(payload).is_some_and(|made| made.signature == signature.signature)
            }
        }
    }

    /// Signs a payload; a second time with the same signature if that needs a certificate.
    pub fn sign(&self, payload: Vec<u8>, session: &OpenSession) -> Result<Signature, Error> {
        match self {
            Self::Key(key) => {
                let signature = signed(key, &payload)?;
                Ok(Signature { payload, signature, ..Signature::default() })
            }
            Self::Certified(certified) => certified.sign(payload, session),
        }
    }
}

impl CertificateRequest {
    /// Has a new key certified.
    pub fn certify(&self, session: &OpenSession, settings: &Settings) -> Result<Certified, Error> {
        let path = self.identity_token.as_path();
        let token = input::file::read_text(path, settings)?;
        let token = token.trim();
        let subject = subject(token).ok_or_else(|| {
            Error::new(format!("{} does not hold a token of OpenID Connect", path.display()))
                .help("the token must be a JWT for the audience `sigstore`, with an address or a subject")
        })?;
        let key =
            PrivateKey::ephemeral(&SystemRandom::new()).map_err(|error| Error::new(error.to_string()))?;
        let proof = signed(&key, subject.as_bytes())?;
        let asked = json!({
            "credentials": { "oidcIdentityToken": token },
            "publicKeyRequest": {
                "publicKey": { "algorithm": "ECDSA", "content": key.public_key().to_pem() },
                "proofOfPossession": STANDARD.encode(proof),
            },
        });
        let address = format!("{}/api/v2/signingCert", self.fulcio_url.trim_end_matches('/'));
        let answer = session.wait(session.client().post_json("get a certificate from", &address, &asked))?;
        let chain = ["signedCertificateEmbeddedSct", "signedCertificateDetachedSct"]
            .iter()
            .find_map(|kind| answer[kind]["chain"]["certificates"].as_array());
        let chain: Vec<String> =
            chain.into_iter().flatten().filter_map(Value::as_str).map(ended_pem).collect();
        let refused = |text: String| {
            Error::new(text).help("--fulcio-url names an authority that speaks the API of Fulcio")
        };
        let Some(own) = chain.first() else {
            return Err(refused(format!("{address} answers without a certificate")));
        };
        let certified = certified_key(own).map_err(|problem| {
            refused(format!("{address} answers with a certificate that cannot be used: {problem}"))
        })?;
        if certified != key.public_key().as_der() {
            return Err(refused(format!("{address} certifies another key")));
        }
        let log = self.rekor_url.trim_end_matches('/').to_owned();
        Ok(Certified { key, chain, log, made: RefCell::default() })
    }
}

impl Certified {
    fn sign(&self, payload: Vec<u8>, session: &OpenSession) -> Result<Signature, Error> {
        if let Some(made) = self.made.borrow().get(&payload) {
            return Ok(made.clone());
        }
        let signature = signed(&self.key, &payload)?;
        let (own, above) = self.chain.split_first().map_or(("", &[][..]), |(own, above)| (own, above));
        let address = format!("{}/api/v1/log/entries", self.log);
        let entry = proposed(own, &signature, &payload);
        let answer = session.wait(session.client().post_json("record the signature in", &address, &entry))?;
        let entry = LogEntry::of_log(&answer).map_err(|problem| {
            Error::new(format!("{address}: {problem}"))
                .help("--rekor-url names a log that speaks version 1 of the API of Rekor")
        })?;
        let mut annotations = BTreeMap::from([
            (CERTIFICATE_ANNOTATION.to_owned(), own.to_owned()),
            (transparency_log::ANNOTATION.to_owned(), entry.to_annotation()),
        ]);
        if !above.is_empty() {
            annotations.insert(CHAIN_ANNOTATION.to_owned(), above.concat());
        }
        let made = Signature { payload, signature, annotations };
        self.made.borrow_mut().insert(made.payload.clone(), made.clone());
        Ok(made)
    }
}

/// A certificate in PEM with the line ended, which Fulcio does not do: Go reads no block that begins within a line.
fn ended_pem(certificate: &str) -> String {
    format!("{}\n", certificate.trim_end())
}

/// Why a certificate of the authority has no key that can be used.
#[derive(Debug, thiserror::Error)]
enum CertificateError {
    #[error("{0}")]
    Unreadable(String),
    #[error("it holds several certificates")]
    Several,
}

/// The key in a certificate in PEM, as SubjectPublicKeyInfo in DER.
fn certified_key(certificate: &str) -> Result<Vec<u8>, CertificateError> {
    let unreadable = |error: &dyn std::fmt::Display| CertificateError::Unreadable(error.to_string());
    match read_pem(certificate.as_bytes()).map_err(|error| unreadable(&error))?.as_slice() {
        [one] => public_key_info(one).map_err(|error| unreadable(&error)),
        _ => Err(CertificateError::Several),
    }
}

fn signed(key: &PrivateKey, message: &[u8]) -> Result<Vec<u8>, Error> {
    key.sign(message, &SystemRandom::new()).map_err(|error| Error::new(error.to_string()))
}

/// Whom a token names: what the authority wants signed with the key. The token is judged there.
fn subject(token: &str) -> Option<String> {
    let claims = token.split('.').nth(1)?;
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    let text = |claim: &str| claims[claim].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    text("email").or_else(|| text("sub"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_an_address_or_a_subject() {
        let token = |claims: &str| format!("x.{}.y", URL_SAFE_NO_PAD.encode(claims));
        for (token, expected) in [
            (token(r#"{"email":"a@b","sub":"1"}"#), Some("a@b")),
            (token(r#"{"sub":"repo:a/b"}"#), Some("repo:a/b")),
            (token(r#"{"sub":""}"#), None),
            ("x.!.y".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(subject(&token).as_deref(), expected, "{token}");
        }
    }

    #[test]
    fn broken_tokens_and_certificates_are_read_or_refused() {
        let claims = r#"{"email":"a@b","sub":["1"]}"#;
        for broken in fbc_testing::broken_variants(claims) {
            let _ = subject(&format!("x.{}.y", URL_SAFE_NO_PAD.encode(&broken)));
        }
        for broken in fbc_testing::broken_variants(&format!("x.{}.y", URL_SAFE_NO_PAD.encode(claims))) {
            let _ = subject(&broken);
        }
        let certificate = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n";
        for broken in fbc_testing::broken_variants(certificate) {
            assert!(certified_key(&broken).is_err(), "{broken}");
        }
    }
}
