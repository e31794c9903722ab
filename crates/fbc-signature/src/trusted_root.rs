//! Trusted roots as sigstore publishes them (`trusted_root.json`): authorities and transparency logs, and when they count.
//!
//! Source: `sigstore/protobuf-specs:protos/sigstore_trustroot.proto`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fbc_go::time::parse_rfc3339;
use serde_json::Value;

use crate::certificate::Authorities;
use crate::error::{ErrorKind, SignatureError};
use crate::key::{KeyError, PublicKey};

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::TrustedRoot, message)
}

/// From when until when something counts, both included, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    from: u64,
    until: u64,
}

impl Period {
    /// All the time.
    pub const ALWAYS: Self = Self { from: 0, until: u64::MAX };

    /// Whether a moment lies in it.
    #[must_use]
    pub fn contains(self, moment: u64) -> bool {
        (self.from..=self.until).contains(&moment)
    }

    fn read(value: &Value) -> Result<Self, SignatureError> {
        let moment = |field: &str, otherwise: u64| match &value[field] {
            Value::Null => Ok(otherwise),
            Value::String(text) => {
                let (seconds, _) =
                    parse_rfc3339(text).map_err(|error| refused(format!("`validFor.{field}`: {error}")))?;
                Ok(u64::try_from(seconds).unwrap_or_default())
            }
            _ => Err(refused(format!("`validFor.{field}` is not a time"))),
        };
        Ok(Self { from: moment("start", 0)?, until: moment("end", u64::MAX)? })
    }
}

/// A transparency log that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Its key.
    pub key: PublicKey,
    /// When that counts.
    pub period: Period,
}

impl From<PublicKey> for Log {
    fn from(key: PublicKey) -> Self {
        Self { key, period: Period::ALWAYS }
    }
}

/// What is trusted for signatures without keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedRoot {
    /// Who issues certificates.
    pub authorities: Authorities,
    /// Who notes signatures.
    pub logs: Vec<Log>,
}

impl TrustedRoot {
    /// Reads a trusted root. Logs with keys that cannot be used are left out.
    ///
    /// # Errors
    /// In words; also if no authority or no log is left.
    pub fn read(bytes: &[u8]) -> Result<Self, SignatureError> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| refused(error.to_string()).because(error))?;
        let kind = value["mediaType"].as_str().unwrap_or_default();
        if !kind.starts_with("application/vnd.dev.sigstore.trustedroot") {
            return Err(refused(format!(
                "its media type is {kind:?}, not that of a trusted root of sigstore"
            )));
        }
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let bytes = |value: &Value| {
            let bytes = value["rawBytes"].as_str().and_then(|text| STANDARD.decode(text).ok());
            bytes.ok_or_else(|| refused("`rawBytes` is missing, or not base64"))
        };
        let mut root = Self::default();
        for authority in list(&value["certificateAuthorities"]) {
            let chain = list(&authority["certChain"]["certificates"]);
            let chain = chain.iter().map(bytes).collect::<Result<Vec<_>, _>>()?;
            root.authorities.add(chain, Period::read(&authority["validFor"])?)?;
        }
        for log in list(&value["tlogs"]) {
            let period = Period::read(&log["publicKey"]["validFor"])?;
            match PublicKey::of_der(&bytes(&log["publicKey"])?) {
                Ok(key) => root.logs.push(Log { key, period }),
                Err(KeyError::UnsupportedPublic) => {}
                Err(error) => {
                    return Err(refused(format!("the key of a log cannot be used: {error}")).because(error));
                }
            }
        }
        if root.authorities.is_empty() {
            return Err(refused("it names no authority for certificates"));
        }
        if root.logs.is_empty() {
            return Err(refused("it names no transparency log with a key that can be used"));
        }
        Ok(root)
    }
}
