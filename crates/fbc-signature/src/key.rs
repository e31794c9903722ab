//! Keys: what cosign's files hold, and what they sign and verify.
//!
//! Source: `sigstore/cosign:pkg/cosign/keys.go`, `containers/image:signature/internal/sigstore_payload.go`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pem::Pem;
use ring::digest::{SHA256, digest};
use ring::rand::SecureRandom;
use ring::signature::{self, EcdsaKeyPair, KeyPair as _, UnparsedPublicKey, VerificationAlgorithm};
use x509_parser::prelude::{FromDer as _, SubjectPublicKeyInfo};

use crate::encryption;

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The text is not PEM.
    #[error("the file does not hold a key in PEM form")]
    Pem,
    /// The PEM block is something else.
    #[error("a PEM block of the kind {0:?} is not {1}")]
    Kind(String, &'static str),
    /// Another kind of key.
    #[error("the key is not an ECDSA key of the curve P-256, the kind that cosign makes")]
    Unsupported,
    /// A public key of a kind that is not supported.
    #[error("the public key is of a kind that is not supported: ECDSA P-256 and P-384, RSA and Ed25519 are")]
    UnsupportedPublic,
    /// An RSA key of another size.
    #[error("the RSA key has {0} bits; 2048 to 8192 are supported")]
    Size(usize),
    /// The envelope of an encrypted key is damaged.
    #[error("the encrypted key cannot be read: {0}")]
    Envelope(String),
    /// The key is encrypted, and the passphrase is another one.
    #[error("the passphrase is wrong, or the encrypted key is damaged")]
    Passphrase,
    /// The key is encrypted, and there is no passphrase.
    #[error("the key is encrypted, and no passphrase is given")]
    NoPassphrase,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    Random,
}

/// What the kinds of encrypted keys are called: the old name, which all readers know, and the new one.
const ENCRYPTED: [&str; 2] = ["ENCRYPTED COSIGN PRIVATE KEY", "ENCRYPTED SIGSTORE PRIVATE KEY"];

/// A private key: ECDSA, P-256.
pub struct PrivateKey {
    pair: EcdsaKeyPair,
}

impl PrivateKey {
    /// A new key, in two files: the private one behind a passphrase, and the public one.
    ///
    /// # Errors
    /// [`KeyError::Random`]
    pub fn generate(passphrase: &[u8], random: &dyn SecureRandom) -> Result<(String, String), KeyError> {
        let document = EcdsaKeyPair::generate_pkcs8(&signature::ECDSA_P256_SHA256_ASN1_SIGNING, random)
            .map_err(|_| KeyError::Random)?;
        let hidden = encryption::encrypt(document.as_ref(), passphrase, random)?;
        let key = Self::of_pkcs8(document.as_ref(), random)?;
        // Older readers know the old name alone, newer ones both.
        Ok((written(ENCRYPTED[0], hidden), key.public_key().to_pem()))
    }

    /// A new key that is written nowhere.
    ///
    /// # Errors
    /// [`KeyError::Random`]
    pub fn ephemeral(random: &dyn SecureRandom) -> Result<Self, KeyError> {
        let document = EcdsaKeyPair::generate_pkcs8(&signature::ECDSA_P256_SHA256_ASN1_SIGNING, random)
            .map_err(|_| KeyError::Random)?;
        Self::of_pkcs8(document.as_ref(), random)
    }

    /// Reads a key file: cosign's, encrypted, or PKCS #8 as it is.
    ///
    /// # Errors
    /// [`KeyError`]
    pub fn read(text: &[u8], passphrase: Option<&[u8]>, random: &dyn SecureRandom) -> Result<Self, KeyError> {
        let block = pem::parse(text).map_err(|_| KeyError::Pem)?;
        match block.tag() {
            tag if ENCRYPTED.contains(&tag) => {
                let passphrase = passphrase.ok_or(KeyError::NoPassphrase)?;
                Self::of_pkcs8(&encryption::decrypt(block.contents(), passphrase)?, random)
            }
            "PRIVATE KEY" => Self::of_pkcs8(block.contents(), random),
            other => Err(KeyError::Kind(other.to_owned(), "a private key of cosign or in PKCS #8")),
        }
    }

    fn of_pkcs8(bytes: &[u8], random: &dyn SecureRandom) -> Result<Self, KeyError> {
        EcdsaKeyPair::from_pkcs8(&signature::ECDSA_P256_SHA256_ASN1_SIGNING, bytes, random)
            .map(|pair| Self { pair })
            .map_err(|_| KeyError::Unsupported)
    }

    /// The other half.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        let mut der = P256_HEAD.to_vec();
        der.extend_from_slice(self.pair.public_key().as_ref());
        PublicKey { der, point: self.pair.public_key().as_ref().to_vec(), algorithm: Algorithm::EcdsaP256 }
    }

    /// A signature: ECDSA over SHA-256, in ASN.1.
    ///
    /// # Errors
    /// [`KeyError::Random`]
    pub fn sign(&self, message: &[u8], random: &dyn SecureRandom) -> Result<Vec<u8>, KeyError> {
        let signature = self.pair.sign(random, message).map_err(|_| KeyError::Random)?;
        Ok(signature.as_ref().to_vec())
    }
}

/// What comes before the point in the SubjectPublicKeyInfo of a P-256 key.
const P256_HEAD: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    EcdsaP256,
    EcdsaP384,
    Rsa,
    Ed25519,
}

impl Algorithm {
    fn verification(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Self::EcdsaP256 => &signature::ECDSA_P256_SHA256_ASN1,
            Self::EcdsaP384 => &signature::ECDSA_P384_SHA256_ASN1,
            Self::Rsa => &signature::RSA_PKCS1_2048_8192_SHA256,
            Self::Ed25519 => &signature::ED25519,
        }
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// The whole SubjectPublicKeyInfo.
    der: Vec<u8>,
    /// The key in it.
    point: Vec<u8>,
    algorithm: Algorithm,
}

impl PublicKey {
    /// Reads a key file: SubjectPublicKeyInfo in PEM.
    ///
    /// # Errors
    /// [`KeyError`]
    pub fn read(text: &[u8]) -> Result<Self, KeyError> {
        let block = pem::parse(text).map_err(|_| KeyError::Pem)?;
        if block.tag() != "PUBLIC KEY" {
            return Err(KeyError::Kind(block.tag().to_owned(), "a public key"));
        }
        Self::of_der(block.contents())
    }

    /// Reads a SubjectPublicKeyInfo, such as that of a certificate.
    ///
    /// # Errors
    /// [`KeyError`]
    pub fn of_der(der: &[u8]) -> Result<Self, KeyError> {
        let (rest, info) = SubjectPublicKeyInfo::from_der(der).map_err(|_| KeyError::UnsupportedPublic)?;
        let curve = info.algorithm.parameters.as_ref().and_then(|curve| curve.as_oid().ok());
        let curve = curve.map(|curve| curve.to_id_string()).unwrap_or_default();
        let algorithm = match (info.algorithm.algorithm.to_id_string().as_str(), curve.as_str()) {
            ("1.2.840.10045.2.1", "1.2.840.10045.3.1.7") => Algorithm::EcdsaP256,
            ("1.2.840.10045.2.1", "1.3.132.0.34") => Algorithm::EcdsaP384,
            ("1.2.840.113549.1.1.1", _) => Algorithm::Rsa,
            ("1.3.101.112", _) => Algorithm::Ed25519,
            _ => return Err(KeyError::UnsupportedPublic),
        };
        if !rest.is_empty() {
            return Err(KeyError::UnsupportedPublic);
        }
        if let Ok(x509_parser::public_key::PublicKey::RSA(key)) = info.parsed()
            && !(2048..=8192).contains(&key.key_size())
        {
            return Err(KeyError::Size(key.key_size()));
        }
        let point = info.subject_public_key.data.to_vec();
        Ok(Self { der: der.to_vec(), point, algorithm })
    }

    /// The whole SubjectPublicKeyInfo.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// The key as a file.
    #[must_use]
    pub fn to_pem(&self) -> String {
        written("PUBLIC KEY", self.der.clone())
    }

    /// Whether a signature is this key's over a message.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(self.algorithm.verification(), &self.point).verify(message, signature).is_ok()
    }

    /// What bundles call the key by: base64 of the SHA-256 of its SubjectPublicKeyInfo.
    #[must_use]
    pub fn hint(&self) -> String {
        STANDARD.encode(digest(&SHA256, &self.der))
    }
}

/// A PEM block with short lines, as Go and OpenSSL write it.
fn written(tag: &str, contents: Vec<u8>) -> String {
    let configuration = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
    pem::encode_config(&Pem::new(tag, contents), configuration)
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;

    use super::*;

    #[test]
    fn a_new_key_comes_back_with_its_passphrase() {
        let random = SystemRandom::new();
        let (private, public) = PrivateKey::generate(b"secret", &random).unwrap();
        let key = PrivateKey::read(private.as_bytes(), Some(b"secret"), &random).unwrap();
        assert_eq!(key.public_key().to_pem(), public);
        assert_eq!(PublicKey::read(public.as_bytes()).unwrap(), key.public_key());
        let signature = key.sign(b"message", &random).unwrap();
        assert!(key.public_key().verifies(b"message", &signature));
        assert!(!key.public_key().verifies(b"massage", &signature));
        let wrong = |passphrase: Option<&[u8]>| {
            PrivateKey::read(private.as_bytes(), passphrase, &random).err().map(|error| error.to_string())
        };
        assert_eq!(wrong(Some(b"other")).unwrap(), KeyError::Passphrase.to_string());
        assert_eq!(wrong(None).unwrap(), KeyError::NoPassphrase.to_string());
    }

    #[test]
    fn what_is_not_a_key_says_so() {
        let random = SystemRandom::new();
        let envelope = |text: &str| written(ENCRYPTED[1], text.as_bytes().to_vec());
        let costs = r#"{"kdf":{"name":"scrypt","params":{"N":1073741824,"r":8,"p":1},"salt":""},"cipher":{"name":"nacl/secretbox","nonce":""},"ciphertext":""}"#;
        for (text, expected) in [
            ("hello".to_owned(), "the file does not hold a key in PEM form"),
            (
                written("CERTIFICATE", vec![1]),
                "a PEM block of the kind \"CERTIFICATE\" is not a private key of cosign or in PKCS #8",
            ),
            (
                written("PRIVATE KEY", vec![1]),
                "the key is not an ECDSA key of the curve P-256, the kind that cosign makes",
            ),
            (envelope("{}"), "the encrypted key cannot be read: missing field `kdf` at line 1 column 2"),
            (
                envelope(costs),
                "the encrypted key cannot be read: scrypt with N=1073741824, r=8, p=1 is out of bounds",
            ),
            (
                envelope(&costs.replace(r#"1073741824,"r":8,"p":1"#, r#"2,"r":1048576,"p":16"#)),
                "the encrypted key cannot be read: scrypt with N=2, r=1048576, p=16 is out of bounds",
            ),
            (
                envelope(&costs.replace("scrypt", "argon")),
                "the encrypted key cannot be read: \"argon\" is not supported, only scrypt",
            ),
            (
                envelope(&costs.replace("1073741824", "16")),
                "the encrypted key cannot be read: the nonce does not have 24 bytes",
            ),
        ] {
            let error = PrivateKey::read(text.as_bytes(), Some(b""), &random).err().unwrap();
            assert_eq!(error.to_string(), expected);
        }
        let small = "-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC1v8xLk5T+lfM3X2XsmwPBEZfq
bQ1HAkFkuZeozPIfwKpJU3wJKZLmb31MONC5Nmy9DgtcvmSQzZ+LyJlKrci40Hai
/g6oV+tPm+6gOhzIMzCdwJWn/LiHQ6E7CiVdweKy9sWj/lEnhpkv1AdXttqrjpA/
4dkAR/9/DDPeHqDLiQIDAQAB
-----END PUBLIC KEY-----\n";
        for (text, expected) in [
            ("hello".to_owned(), KeyError::Pem),
            (small.to_owned(), KeyError::Size(1024)),
            (written("PRIVATE KEY", vec![1]), KeyError::Kind("PRIVATE KEY".to_owned(), "a public key")),
            (written("PUBLIC KEY", vec![1]), KeyError::UnsupportedPublic),
        ] {
            assert_eq!(PublicKey::read(text.as_bytes()).unwrap_err().to_string(), expected.to_string());
        }
    }
}
