//! The requirement `sigstoreSigned`.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use super::{KeySource, Requirement, Signers};
use crate::error::{ErrorKind, SignatureError};
use crate::identity::SignedIdentity;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Policy, message)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    #[serde(rename = "type")]
    _kind: String,
    key_path: Option<PathBuf>,
    key_data: Option<String>,
    key_paths: Option<Vec<PathBuf>>,
    key_datas: Option<Vec<String>>,
    fulcio: Option<WrittenFulcio>,
    pki: Option<WrittenPki>,
    rekor_public_key_path: Option<PathBuf>,
    rekor_public_key_data: Option<String>,
    rekor_public_key_paths: Option<Vec<PathBuf>>,
    rekor_public_key_datas: Option<Vec<String>>,
    signed_identity: Option<SignedIdentity>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WrittenFulcio {
    ca_path: Option<PathBuf>,
    ca_data: Option<String>,
    #[serde(rename = "oidcIssuer", default)]
    issuer: String,
    #[serde(rename = "subjectEmail", default)]
    email: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WrittenPki {
    ca_roots_path: Option<PathBuf>,
    ca_roots_data: Option<String>,
    ca_intermediates_path: Option<PathBuf>,
    ca_intermediates_data: Option<String>,
    #[serde(rename = "subjectEmail")]
    email: Option<String>,
    #[serde(rename = "subjectHostname")]
    host: Option<String>,
}

/// The ways to name keys or certificates, of which one is used.
pub(super) struct Named {
    pub(super) path: Option<PathBuf>,
    pub(super) data: Option<String>,
    pub(super) paths: Option<Vec<PathBuf>>,
    pub(super) datas: Option<Vec<String>>,
}

impl Named {
    fn one(path: Option<PathBuf>, data: Option<String>) -> Self {
        Self { path, data, paths: None, datas: None }
    }

    /// The places; nothing if none is named.
    pub(super) fn places(self, ways: &str) -> Result<Option<Vec<KeySource>>, SignatureError> {
        let data = |text: String| {
            let bytes = STANDARD.decode(text);
            bytes
                .map(KeySource::Data)
                .map_err(|error| refused("a key or certificate is not base64").because(error))
        };
        let paths = |paths: Vec<PathBuf>| paths.into_iter().map(KeySource::Path).collect();
        let several = |datas: Vec<String>| datas.into_iter().map(data).collect::<Result<Vec<_>, _>>();
        let found = match (self.path, self.data, self.paths, self.datas) {
            (None, None, None, None) => return Ok(None),
            (Some(path), None, None, None) => vec![KeySource::Path(path)],
            (None, Some(text), None, None) => vec![data(text)?],
            (None, None, Some(list), None) => paths(list),
            (None, None, None, Some(list)) => several(list)?,
            _ => return Err(refused(format!("exactly one of {ways} is needed"))),
        };
        match found.is_empty() {
            true => Err(refused(format!("the list of {ways} is empty"))),
            false => Ok(Some(found)),
        }
    }

    /// The one place of `path` or `data`.
    fn place(self, ways: &str) -> Result<KeySource, SignatureError> {
        let missing = || refused(format!("exactly one of {ways} is needed"));
        self.places(ways)?.and_then(|mut places| places.pop()).ok_or_else(missing)
    }
}

/// Reads the requirement.
///
/// # Errors
/// [`SignatureError`]
pub(super) fn read(value: &Value) -> Result<Requirement, SignatureError> {
    requirement(value).map_err(|error| error.within("sigstoreSigned"))
}

fn requirement(value: &Value) -> Result<Requirement, SignatureError> {
    const KEYS: &str = "keyPath, keyPaths, keyData and keyDatas";
    const SIGNERS: &str = "keyPath, keyPaths, keyData, keyDatas, fulcio and pki";
    const LOGS: &str = "rekorPublicKeyPath, rekorPublicKeyPaths, rekorPublicKeyData and rekorPublicKeyDatas";
    let written: Written = serde_json::from_value(value.clone()).map_err(super::malformed)?;
    let identity = identity(value, written.signed_identity)?;
    let keys = Named {
        path: written.key_path,
        data: written.key_data,
        paths: written.key_paths,
        datas: written.key_datas,
    };
    let logs = Named {
        path: written.rekor_public_key_path,
        data: written.rekor_public_key_data,
        paths: written.rekor_public_key_paths,
        datas: written.rekor_public_key_datas,
    };
    let logs = logs.places(LOGS)?.unwrap_or_default();
    let signers = match (keys.places(KEYS)?, written.fulcio, written.pki) {
        (Some(keys), None, None) => Signers::Keys(keys),
        (None, Some(_), None) if logs.is_empty() => {
            return Err(refused(format!("fulcio needs one of {LOGS}")));
        }
        (None, Some(fulcio), None) => of_fulcio(fulcio).map_err(|error| error.within("fulcio"))?,
        (None, None, Some(_)) if !logs.is_empty() => {
            return Err(refused("pki has no Rekor keys"));
        }
        (None, None, Some(pki)) => of_pki(pki).map_err(|error| error.within("pki"))?,
        _ => return Err(refused(format!("exactly one of {SIGNERS} is needed"))),
    };
    Ok(Requirement::SigstoreSigned { signers, logs, identity })
}

/// What a signature must be for, as a requirement says it.
///
/// # Errors
/// [`SignatureError`]
pub(super) fn identity(
    value: &Value,
    written: Option<SignedIdentity>,
) -> Result<SignedIdentity, SignatureError> {
    // serde lets variants without fields have any.
    let kind = value["signedIdentity"]["type"].as_str().unwrap_or_default();
    let is_bare = value["signedIdentity"].as_object().is_none_or(|fields| fields.len() == 1);
    if kind.starts_with("match") && !is_bare {
        return Err(refused(format!("signedIdentity: {kind} has no other fields")));
    }
    let identity = written.unwrap_or_default();
    identity.check().map_err(|error| error.within("signedIdentity"))?;
    Ok(identity)
}

fn of_fulcio(written: WrittenFulcio) -> Result<Signers, SignatureError> {
    let WrittenFulcio { ca_path, ca_data, issuer, email } = written;
    for (name, value) in [("oidcIssuer", &issuer), ("subjectEmail", &email)] {
        if value.is_empty() {
            return Err(refused(format!("{name} is missing")));
        }
    }
    let authorities = Named::one(ca_path, ca_data).place("caPath and caData")?;
    Ok(Signers::Fulcio { authorities, issuer, email })
}

fn of_pki(written: WrittenPki) -> Result<Signers, SignatureError> {
    let named = |text: Option<String>| text.filter(|text| !text.is_empty());
    let (email, host) = (named(written.email), named(written.host));
    if email.is_none() && host.is_none() {
        return Err(refused("subjectEmail or subjectHostname is missing"));
    }
    let roots = Named::one(written.ca_roots_path, written.ca_roots_data);
    let roots = roots.place("caRootsPath and caRootsData")?;
    let between = Named::one(written.ca_intermediates_path, written.ca_intermediates_data);
    let intermediates = between.places("caIntermediatesPath and caIntermediatesData")?;
    let intermediates = intermediates.and_then(|mut places| places.pop());
    Ok(Signers::Pki { roots, intermediates, email, host })
}
