//! Private keys behind a passphrase: scrypt makes a key of it, and NaCl's secretbox hides the bytes.
//!
//! Source: `secure-systems-lab/go-securesystemslib:encrypted/encrypted.go`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crypto_secretbox::aead::{Aead as _, KeyInit as _};
use crypto_secretbox::{Key, Nonce, XSalsa20Poly1305};
use ring::rand::SecureRandom;
use serde::{Deserialize, Serialize};

use crate::key::KeyError;

/// The cost of new keys: N and, as its logarithm, the same number.
const COST: (u64, u8) = (65_536, 16);
const BLOCK_SIZE: u32 = 8;
/// Keys that ask for more work than this are refused: 128 * (N + p) * r bytes are needed to read them.
const MOST_MEMORY: u64 = 512 << 20;
const MOST_PARALLEL: u32 = 16;

#[derive(Deserialize, Serialize)]
struct Envelope {
    kdf: Derivation,
    cipher: Cipher,
    ciphertext: String,
}

#[derive(Deserialize, Serialize)]
struct Derivation {
    name: String,
    params: Parameters,
    salt: String,
}

#[derive(Deserialize, Serialize)]
struct Parameters {
    #[serde(rename = "N")]
    cost: u64,
    r: u32,
    p: u32,
}

#[derive(Deserialize, Serialize)]
struct Cipher {
    name: String,
    nonce: String,
}

/// Hides bytes behind a passphrase.
pub(crate) fn encrypt(
    plain: &[u8],
    passphrase: &[u8],
    random: &dyn SecureRandom,
) -> Result<Vec<u8>, KeyError> {
    let (mut salt, mut nonce) = ([0; 32], [0; 24]);
    random.fill(&mut salt).and_then(|()| random.fill(&mut nonce)).map_err(|_| KeyError::Random)?;
    let key = derive(passphrase, &salt, COST.1, BLOCK_SIZE, 1)?;
    let hidden =
        XSalsa20Poly1305::new(&key).encrypt(&Nonce::from(nonce), plain).map_err(|_| KeyError::Random)?;
    let envelope = Envelope {
        kdf: Derivation {
            name: "scrypt".to_owned(),
            params: Parameters { cost: COST.0, r: BLOCK_SIZE, p: 1 },
            salt: STANDARD.encode(salt),
        },
        cipher: Cipher { name: "nacl/secretbox".to_owned(), nonce: STANDARD.encode(nonce) },
        ciphertext: STANDARD.encode(hidden),
    };
    serde_json::to_vec(&envelope).map_err(|error| KeyError::Envelope(error.to_string()))
}

/// Brings hidden bytes back.
pub(crate) fn decrypt(envelope: &[u8], passphrase: &[u8]) -> Result<Vec<u8>, KeyError> {
    let envelope: Envelope =
        serde_json::from_slice(envelope).map_err(|error| KeyError::Envelope(error.to_string()))?;
    let Parameters { cost, r, p } = envelope.kdf.params;
    for (name, known) in [(&envelope.kdf.name, "scrypt"), (&envelope.cipher.name, "nacl/secretbox")] {
        if name != known {
            return Err(KeyError::Envelope(format!("{name:?} is not supported, only {known}")));
        }
    }
    let memory = u64::from(r).saturating_mul(cost.saturating_add(p.into())).saturating_mul(128);
    if !cost.is_power_of_two() || cost < 2 || memory > MOST_MEMORY || !(1..=MOST_PARALLEL).contains(&p) {
        return Err(KeyError::Envelope(format!("scrypt with N={cost}, r={r}, p={p} is out of bounds")));
    }
    let bytes = |what: &str, text: &str| {
        STANDARD.decode(text).map_err(|_| KeyError::Envelope(format!("the {what} is not base64")))
    };
    let nonce: [u8; 24] = bytes("nonce", &envelope.cipher.nonce)?
        .try_into()
        .map_err(|_| KeyError::Envelope("the nonce does not have 24 bytes".to_owned()))?;
    let salt = bytes("salt", &envelope.kdf.salt)?;
    // A power of two has as many zeros as its logarithm says.
    let logarithm = u8::try_from(cost.trailing_zeros()).unwrap_or(u8::MAX);
    let key = derive(passphrase, &salt, logarithm, r, p)?;
    let hidden = bytes("ciphertext", &envelope.ciphertext)?;
    XSalsa20Poly1305::new(&key)
        .decrypt(&Nonce::from(nonce), hidden.as_slice())
        .map_err(|_| KeyError::Passphrase)
}

fn derive(passphrase: &[u8], salt: &[u8], logarithm: u8, r: u32, p: u32) -> Result<Key, KeyError> {
    let failed = |error: &dyn std::fmt::Display| KeyError::Envelope(error.to_string());
    let parameters = scrypt::Params::new(logarithm, r, p).map_err(|error| failed(&error))?;
    let mut key = [0; 32];
    scrypt::scrypt(passphrase, salt, &parameters, &mut key).map_err(|error| failed(&error))?;
    Ok(Key::from(key))
}
