//! What stands for the certificates that OLM makes: texts of the right form that say whose they are and how long they last.
//! Nothing here encrypts anything.
//!
//! Source of names and times: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/certs/certs.go`,
//! `pkg/controller/install/certresources.go`.

use std::fmt::Write as _;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::random::Random;
use fbc_cluster::time::{HOUR, Milliseconds, Moment};
use fbc_go::base64;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// How long a certificate is valid: 730 days (V0-104).
pub const VALID_FOR: Milliseconds = 730 * 24 * HOUR;
/// How long before its end it is made anew.
pub const RENEWED_BEFORE: Milliseconds = 24 * HOUR;
/// Where a Secret holds the certificate of the authority.
pub const AUTHORITY_KEY: &str = "olmCAKey";

/// An authority and a certificate that it signed, as PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificates {
    /// The certificate of the authority.
    pub authority: String,
    certificate: String,
    key: String,
}

impl Certificates {
    /// Certificates for a service, which end at a moment. The number tells authorities apart.
    pub fn new(service: &str, namespace: &str, end: Moment, number: u64) -> Self {
        let authority = format!("olm-selfsigned-{number:x}");
        let text = |kind: &str, subject: &str| {
            let text = format!("{subject}\nRed Hat, Inc.\n{authority}\n{}", end.0);
            format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", base64::encode(text.as_bytes()))
        };
        Self {
            authority: text("CERTIFICATE", &authority),
            certificate: text("CERTIFICATE", &host(service, namespace)),
            key: text("EC PRIVATE KEY", &host(service, namespace)),
        }
    }

    /// The data of a Secret.
    pub fn data(&self) -> Value {
        let encoded = |text: &str| base64::encode(text.as_bytes());
        json!({
            "tls.crt": encoded(&self.certificate), "tls.key": encoded(&self.key),
            AUTHORITY_KEY: encoded(&self.authority),
        })
    }
}

fn host(service: &str, namespace: &str) -> String {
    format!("{service}.{namespace}")
}

/// A number for an authority.
pub fn number(namespace: &str, name: &str, now: Moment) -> u64 {
    Random::of(now.0, &format!("{namespace}/{name}")).next_bits() >> 1
}

/// What a certificate says: whom it is for, who signed it, when it ends.
struct Content {
    subject: String,
    signer: String,
    end: Moment,
}

/// Reads a certificate, which is none of ours if this gives nothing.
fn read(encoded: Option<&Value>) -> Option<Content> {
    let pem = String::from_utf8(base64::decode(encoded?.as_str()?).ok()?).ok()?;
    let body = pem.strip_prefix("-----BEGIN CERTIFICATE-----\n")?.split_once("\n-----END")?.0;
    let text = String::from_utf8(base64::decode(body).ok()?).ok()?;
    let mut lines = text.lines();
    let subject = lines.next()?.to_owned();
    let signer = lines.nth(1)?.to_owned();
    Some(Content { subject, signer, end: Moment(lines.next()?.parse().ok()?) })
}

/// Whether the certificate in a Secret must be made anew: it is broken, signed by somebody else, for another service, or ends soon.
pub fn must_rotate(secret: &Object, service: &str, namespace: &str, now: Moment) -> bool {
    let of = |key: &str| read(secret.at(&["data", key]));
    let (Some(authority), Some(certificate)) = (of(AUTHORITY_KEY), of("tls.crt")) else { return true };
    let ends_soon = |content: &Content| now > content.end - RENEWED_BEFORE;
    ends_soon(&authority)
        || ends_soon(&certificate)
        || certificate.signer != authority.subject
        || certificate.subject != host(service, namespace)
}

/// Whether a value is a certificate.
pub fn is_certificate(encoded: Option<&Value>) -> bool {
    read(encoded).is_some()
}

/// The text behind base64; empty if it is none.
pub fn decoded(encoded: &str) -> Vec<u8> {
    base64::decode(encoded).unwrap_or_default()
}

/// The SHA-256 sum of a certificate as PEM, which labels and annotations have.
pub fn authority_hash(pem: &[u8]) -> String {
    Sha256::digest(pem).iter().fold(String::new(), |mut text, byte| {
        // Texts take anything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows V0-104.
    #[test]
    fn certificates_are_made_anew_a_day_before_their_end() {
        let now = Moment::START;
        let made = Certificates::new("hook-service", "port", now + VALID_FOR, number("port", "hook", now));
        let secret = |data: Value| json!({"data": data});
        let due = |secret: &Object, at: Moment| must_rotate(secret, "hook-service", "port", at);
        let end = now + VALID_FOR;
        assert!(!due(&secret(made.data()), now));
        assert!(!due(&secret(made.data()), end - RENEWED_BEFORE));
        assert!(due(&secret(made.data()), end - RENEWED_BEFORE + 1));
        assert!(must_rotate(&secret(made.data()), "other-service", "port", now));
        let other = Certificates::new("hook-service", "port", end, 7);
        let mut mixed = made.data();
        mixed[AUTHORITY_KEY] = other.data()[AUTHORITY_KEY].clone();
        assert!(due(&secret(mixed), now), "signed by another authority");
        assert!(due(&secret(json!({"tls.crt": "bm9uZQ=="})), now));
        assert_ne!(made.authority, other.authority);
    }
}
