//! Signatures as GnuPG makes them: signed messages beside images, in a store that `registries.d` names.
//!
//! Sources: `containers/image:docs/containers-signature.5.md`, `signature/signature.go` (`verifyAndExtractSignature`).

use crate::error::{ErrorKind, SignatureError};
use crate::identity::{ImageName, SignedIdentity};
use crate::openpgp::{PublicKey, verified_at};
use crate::payload::Payload;

const KIND: &str = "atomic container signature";

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Untrusted, message)
}

/// Whether one of the messages is a signature of one of the keys for an image. `now` is in seconds since 1970.
///
/// # Errors
/// Why none is.
pub fn check(
    messages: &[Vec<u8>],
    keys: &[PublicKey],
    identity: &SignedIdentity,
    image: &ImageName,
    digest: &str,
    now: u64,
) -> Result<Payload, SignatureError> {
    let judged = |message: &Vec<u8>| {
        let content = verified_at(message, keys, now)
            .map_err(|fault| refused(format!("a signature cannot be trusted: {fault}")).because(fault))?;
        let payload = Payload::read_of(&content, KIND)?;
        if payload.digest() != digest {
            return Err(refused(format!("a signature is for {}", payload.digest())));
        }
        match identity.matches(image, payload.reference()) {
            true => Ok(payload),
            false => Err(refused(format!("a signature is for the name {}", payload.reference()))),
        }
    };
    let mut reasons: Vec<String> = Vec::new();
    for message in messages {
        match judged(message) {
            Ok(payload) => return Ok(payload),
            Err(error) if !reasons.contains(&error.to_string()) => reasons.push(error.to_string()),
            Err(_) => {}
        }
    }
    match reasons.as_slice() {
        [] => Err(refused("it has no signatures")),
        reasons => Err(refused(reasons.join(", "))),
    }
}
