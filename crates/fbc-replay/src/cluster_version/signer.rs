//! Signatures of releases with a key of the replay: the secret part of the recorded one is not known.

use super::ReplayError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair as _};

/// A key that signs releases.
pub(super) struct Signer(Ed25519KeyPair);

fn packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len()).unwrap_or(u32::MAX);
    [&[0xc0 | kind, 0xff][..], &size.to_be_bytes(), body].concat()
}

fn integer(bytes: &[u8]) -> Vec<u8> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let bytes = bytes.get(start..).unwrap_or_default();
    let bits = bytes.len() * 8 - bytes.first().map_or(0, |first| first.leading_zeros() as usize);
    [&u16::try_from(bits).unwrap_or(u16::MAX).to_be_bytes()[..], bytes].concat()
}

impl Signer {
    /// A key from a seed.
    pub(super) fn new(seed: u8) -> Result<Self, ReplayError> {
        Ed25519KeyPair::from_seed_unchecked(&[seed; 32])
            .map(Self)
            .map_err(|error| ReplayError::Key(error.to_string()))
    }

    /// The public key, as a ConfigMap holds it.
    pub(super) fn public_key(&self) -> String {
        const OID: [u8; 9] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x0f, 0x01];
        let point = [&[0x40], self.0.public_key().as_ref()].concat();
        let body = [&[4, 0, 0, 0, 0, 22, 9][..], &OID, &integer(&point)].concat();
        let text = STANDARD.encode(packet(6, &body));
        let lines: Vec<&str> =
            text.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
        format!(
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{}\n-----END PGP PUBLIC KEY BLOCK-----\n",
            lines.join("\n")
        )
    }

    /// A signed statement about a digest.
    pub(super) fn sign(&self, digest: &str) -> Vec<u8> {
        let statement = serde_json::json!({
            "critical": {
                "type": "atomic container signature",
                "image": {"docker-manifest-digest": digest},
                "identity": {"docker-reference": "example.com/ocp/release:latest"},
            },
            "optional": {"creator": "a test"},
        })
        .to_string();
        let hashed = [4, 0, 22, 8, 0, 0];
        let signed = [statement.as_bytes(), &hashed, &[4, 0xff, 0, 0, 0, 6]].concat();
        let hash = ring::digest::digest(&ring::digest::SHA256, &signed);
        let signature = self.0.sign(hash.as_ref());
        let (first, second) = signature.as_ref().split_at(32);
        let body = [
            &hashed[..],
            &[0, 0],
            hash.as_ref().get(..2).unwrap_or_default(),
            &integer(first),
            &integer(second),
        ]
        .concat();
        let literal = [&b"b\0\0\0\0\0"[..], statement.as_bytes()].concat();
        [packet(11, &literal), packet(2, &body)].concat()
    }
}
