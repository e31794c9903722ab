//! The requirement `signedBy`.
//!
//! Source: `containers/image:signature/policy_config.go` (`prSignedBy`).

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::sigstore::{Named, identity};
use super::{Requirement, refused};
use crate::error::SignatureError;
use crate::identity::SignedIdentity;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    #[serde(rename = "type")]
    _kind: String,
    key_type: String,
    key_path: Option<PathBuf>,
    key_paths: Option<Vec<PathBuf>>,
    key_data: Option<String>,
    signed_identity: Option<SignedIdentity>,
}

/// Reads the requirement. Types of keys that `containers/image` knows and does not check are not checked here either.
///
/// # Errors
/// [`SignatureError`]
pub(super) fn read(value: &Value) -> Result<Requirement, SignatureError> {
    requirement(value).map_err(|error| error.within("signedBy"))
}

fn requirement(value: &Value) -> Result<Requirement, SignatureError> {
    const KEYS: &str = "keyPath, keyPaths and keyData";
    let written: Written = serde_json::from_value(value.clone()).map_err(super::malformed)?;
    let identity = identity(value, written.signed_identity)?;
    let keys =
        Named { path: written.key_path, data: written.key_data, paths: written.key_paths, datas: None };
    let keys = keys.places(KEYS)?.ok_or_else(|| refused(format!("exactly one of {KEYS} is needed")))?;
    match written.key_type.as_str() {
        "GPGKeys" => Ok(Requirement::SignedBy { keys, identity }),
        other @ ("signedByGPGKeys" | "X509Certificates" | "signedByX509CAs") => {
            Ok(Requirement::Unsupported(format!("signedBy with keyType {other}")))
        }
        other => Err(refused(format!("keyType {other:?} is not known"))),
    }
}
