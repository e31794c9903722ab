//! `policy.json`: which signatures images must have.
//!
//! Source: `containers/image:docs/containers-policy.json.5.md`, `signature/policy_config.go`.

mod gpg;
mod sigstore;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::error::{ErrorKind, SignatureError};
use crate::identity::{ImageName, SignedIdentity};
use crate::unique_fields::UniqueFields;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Policy, message)
}

/// A policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    default: Vec<Requirement>,
    /// By scope, for images of registries.
    docker: BTreeMap<String, Vec<Requirement>>,
}

/// What an image must fulfil. All requirements of a scope count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// `insecureAcceptAnything`
    AcceptAnything,
    /// `reject`
    Reject,
    /// `sigstoreSigned`: one signature is enough.
    SigstoreSigned {
        /// Whose signatures count.
        signers: Signers,
        /// The keys of transparency logs; if there are any, one of these logs must have seen the signature.
        logs: Vec<KeySource>,
        /// What the signature must be for.
        identity: SignedIdentity,
    },
    /// `signedBy`: one signature of GnuPG's is enough.
    SignedBy {
        /// The files of key rings whose keys count.
        keys: Vec<KeySource>,
        /// What the signature must be for.
        identity: SignedIdentity,
    },
    /// What cannot be checked here, with its name.
    Unsupported(String),
}

/// Whose signatures count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signers {
    /// Those of keys; one of them is enough.
    Keys(Vec<KeySource>),
    /// Those of who has a certificate of Fulcio.
    Fulcio {
        /// The certificates of Fulcio.
        authorities: KeySource,
        /// Who vouched for the signer.
        issuer: String,
        /// The address of the signer.
        email: String,
    },
    /// Those of who has a certificate of another authority.
    Pki {
        /// Its certificates.
        roots: KeySource,
        /// Those between it and signers.
        intermediates: Option<KeySource>,
        /// The address of the signer.
        email: Option<String>,
        /// The host of the signer.
        host: Option<String>,
    },
}

/// Where keys or certificates are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// In a file.
    Path(PathBuf),
    /// In the policy.
    Data(Vec<u8>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    default: Vec<Value>,
    #[serde(default)]
    transports: BTreeMap<String, BTreeMap<String, Vec<Value>>>,
}

impl Policy {
    /// A policy that accepts every image.
    #[must_use]
    pub fn accept_anything() -> Self {
        Self { default: vec![Requirement::AcceptAnything], docker: BTreeMap::new() }
    }

    /// Reads a policy. Unknown fields, fields that are set twice and empty lists of requirements are errors, as a policy that
    /// is read otherwise than it was meant protects nobody.
    ///
    /// # Errors
    /// [`SignatureError`]
    pub fn read(bytes: &[u8]) -> Result<Self, SignatureError> {
        let UniqueFields(written) = serde_json::from_slice(bytes).map_err(malformed)?;
        let written: Written = serde_json::from_value(written).map_err(malformed)?;
        let default = requirements(&written.default).map_err(|error| error.within("default"))?;
        let mut docker = BTreeMap::new();
        for (transport, scopes) in written.transports {
            for (scope, values) in scopes {
                let place = format!("transports.{transport}.{scope:?}");
                let found = requirements(&values).map_err(|error| error.within(&place))?;
                if transport == "docker" {
                    docker.insert(scope, found);
                }
            }
        }
        Ok(Self { default, docker })
    }

    /// What an image of a registry must fulfil, and the scope that says so.
    #[must_use]
    pub fn requirements(&self, image: &ImageName) -> (&[Requirement], String) {
        let scopes = image.scopes().into_iter().chain([String::new()]);
        for scope in scopes {
            if let Some(found) = self.docker.get(&scope) {
                return (found, format!("transports.docker.{scope:?}"));
            }
        }
        (&self.default, "default".to_owned())
    }
}

fn malformed(error: serde_json::Error) -> SignatureError {
    refused(error.to_string()).because(error)
}

fn requirements(values: &[Value]) -> Result<Vec<Requirement>, SignatureError> {
    match values {
        [] => Err(refused("the list of requirements is empty")),
        values => values.iter().map(requirement).collect(),
    }
}

fn requirement(value: &Value) -> Result<Requirement, SignatureError> {
    let kind = value["type"].as_str().ok_or_else(|| refused("a requirement has no type"))?;
    let is_bare = || value.as_object().is_some_and(|fields| fields.len() == 1);
    match kind {
        "insecureAcceptAnything" if is_bare() => Ok(Requirement::AcceptAnything),
        "reject" if is_bare() => Ok(Requirement::Reject),
        "insecureAcceptAnything" | "reject" => Err(refused(format!("{kind} has no other fields"))),
        "signedBy" => gpg::read(value),
        "signedBaseLayer" => Ok(Requirement::Unsupported(kind.to_owned())),
        "sigstoreSigned" => sigstore::read(value),
        other => Err(refused(format!("the type {other:?} is not known"))),
    }
}

#[cfg(test)]
mod tests;
