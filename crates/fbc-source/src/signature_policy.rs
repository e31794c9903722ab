//! The policy of signatures at work: `policy.json` and `registries.d` of the machine decide which images may be copied.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use fbc_registry::{Client, Clock, Guard, Problem, Reference, RegistryError, Result as RegistryResult};
use fbc_signature::certificate::{Authorities, read_pem};
use fbc_signature::policy::{KeySource, Signers};
use fbc_signature::trust::{self, ExpectedSigner, SigningTime};
use fbc_signature::trusted_root::Log;
use fbc_signature::{
    Attachments, ImageName, KeyError, Policy, PublicKey, Requirement, SignatureError, Trust,
};
use fbc_signature::{openpgp, simple_signing};
use futures_util::future::LocalBoxFuture;
use oci_spec::image::Digest;

use crate::error::{Error, system_words};
use crate::input_file::{self, InputLimits};
use crate::lookaside;
use crate::signatures::signatures;

/// Where policy and configuration are, if they are anywhere.
#[derive(Debug, Default)]
pub struct SignaturePaths {
    /// The policy.
    pub policy: Option<PathBuf>,
    /// The directory of files that say whether signatures lie beside images.
    pub registries: Option<PathBuf>,
    /// The directory with signatures of GnuPG's, where no file names another store.
    pub store: Option<PathBuf>,
}

/// A policy, and where it comes from.
pub struct SignaturePolicy {
    policy: Policy,
    shown: String,
    attachments: Attachments,
    /// The store of GnuPG's signatures, where no file names another one.
    store: Option<PathBuf>,
    /// Whether no registry may be asked for signatures.
    is_offline: bool,
    clock: Arc<dyn Clock>,
}

impl SignaturePolicy {
    /// Reads policy and configuration. Without a policy every image is accepted.
    ///
    /// # Errors
    /// If one of the files cannot be read.
    pub fn read(
        paths: &SignaturePaths,
        limits: InputLimits,
        is_offline: bool,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let (policy, shown) = match &paths.policy {
            Some(path) => {
                let bytes = input_file::read(path, limits)?;
                let policy = Policy::read(&bytes).map_err(|error| {
                    Error::new(format!("{} is not a policy of signatures: {error}", path.display()))
                        .help("containers-policy.json(5) describes the form; --insecure-policy goes on without it")
                        .because(error)
                })?;
                (policy, path.display().to_string())
            }
            None => (Policy::accept_anything(), String::new()),
        };
        let mut attachments = Attachments::default();
        for path in files(paths.registries.as_deref())? {
            let bytes = input_file::read(&path, limits)?;
            attachments.add(&bytes).map_err(|error| {
                Error::new(format!("{}: {error}", path.display()))
                    .help("containers-registries.d(5) describes the form")
                    .because(error)
            })?;
        }
        Ok(Self { policy, shown, attachments, store: paths.store.clone(), is_offline, clock })
    }

    /// Refuses an image that does not fulfil the policy; whether that asks for a signature.
    async fn check(&self, client: &Client, image: &Reference, digest: &Digest) -> RegistryResult<bool> {
        let name = ImageName {
            repository: image.name(),
            tag: image.tag().map(str::to_owned),
            digest: image.digest().map(ToString::to_string),
        };
        let (requirements, scope) = self.policy.requirements(&name);
        let refused = |reason: String| {
            let text = format!("{} ({scope}) {reason}", self.shown);
            RegistryError::new("use", image.to_string(), Problem::Policy(text))
        };
        let mut is_checked = false;
        for requirement in requirements {
            match requirement {
                Requirement::AcceptAnything => {}
                Requirement::Reject => return Err(refused("rejects the image".to_owned())),
                Requirement::Unsupported(kind) => {
                    let reason = format!("asks for {kind}, which fbc cannot check");
                    return Err(refused(reason));
                }
                Requirement::SignedBy { keys, identity } => {
                    let ring = key_rings(keys).map_err(|error| {
                        let text = format!("{} ({scope}) {error}", self.shown);
                        RegistryError::new("check", image.to_string(), Problem::Configuration(text))
                    })?;
                    let own = self.store.as_deref().map(lookaside::address_of);
                    let store = self.attachments.lookaside(&name).map(str::to_owned).or(own);
                    let found = match store {
                        Some(store) if self.is_offline && !store.starts_with("file://") => {
                            let reason = "asks for a signature, and --offline forbids to look for it";
                            return Err(refused(reason.to_owned()));
                        }
                        Some(store) => lookaside::signatures(client, &store, image, digest).await?,
                        None => Vec::new(),
                    };
                    simple_signing::check(&found, &ring, identity, &name, digest.as_ref(), self.now())
                        .map_err(|reason| refused(format!("asks for a signature of GnuPG: {reason}")))?;
                    is_checked = true;
                }
                Requirement::SigstoreSigned { signers, logs, identity } => {
                    if !self.attachments.are_used(&name) {
                        let reason = "asks for signatures, and registries.d forbids to look for them";
                        return Err(refused(reason.to_owned()));
                    }
                    if self.is_offline {
                        let reason = "asks for a signature, and --offline forbids to look for it";
                        return Err(refused(reason.to_owned()));
                    }
                    let unusable = |error: TrustError| {
                        let text = format!("{} ({scope}) {error}", self.shown);
                        RegistryError::new("check", image.to_string(), Problem::Configuration(text))
                    };
                    let trusted = self.trust_in(signers, logs).map_err(unusable)?;
                    let found = signatures(client, image, digest).await?;
                    trust::check(&found.items, &trusted, identity, &name, digest.as_ref()).map_err(
                        |reason| refused(format!("asks for a signature: {reason}{}", found.unread())),
                    )?;
                    is_checked = true;
                }
            }
        }
        Ok(is_checked)
    }

    /// Whose signatures a requirement lets count, with its files read.
    fn trust_in(&self, signers: &Signers, logs: &[KeySource]) -> Result<Trust, TrustError> {
        let keys = |sources: &[KeySource]| sources.iter().map(read_key).collect::<Result<Vec<_>, _>>();
        let logs: Vec<Log> = keys(logs)?.into_iter().map(Log::from).collect();
        let named = |text: &String| Some(text.clone());
        Ok(match signers {
            Signers::Keys(sources) => Trust::Keys { keys: keys(sources)?, logs },
            Signers::Fulcio { authorities, issuer, email } => Trust::Certificates {
                authorities: Authorities::new(certificates(authorities)?, Vec::new())
                    .map_err(TrustError::Certificate)?,
                signer: ExpectedSigner {
                    issuer: named(issuer),
                    email: named(email),
                    ..ExpectedSigner::default()
                },
                moment: SigningTime::Logged(logs),
            },
            Signers::Pki { roots, intermediates, email, host } => Trust::Certificates {
                authorities: Authorities::new(
                    certificates(roots)?,
                    intermediates.as_ref().map_or_else(|| Ok(Vec::new()), certificates)?,
                )
                .map_err(TrustError::Certificate)?,
                signer: ExpectedSigner {
                    email: email.clone(),
                    host: host.clone(),
                    ..ExpectedSigner::default()
                },
                moment: SigningTime::Now(self.now()),
            },
        })
    }

    /// The time, in seconds since the beginning of 1970.
    fn now(&self) -> u64 {
        self.clock.now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
    }
}

impl Guard for SignaturePolicy {
    fn admit<'a>(
        &'a self,
        client: &'a Client,
        image: &'a Reference,
        digest: &'a Digest,
    ) -> LocalBoxFuture<'a, RegistryResult<bool>> {
        Box::pin(self.check(client, image, digest))
    }
}

fn read_key(source: &KeySource) -> Result<PublicKey, TrustError> {
    let (bytes, shown) = content(source)?;
    PublicKey::read(&bytes).map_err(|error| TrustError::Key { shown, error })
}

/// The keys of key rings; a ring without any that signs is an error.
fn key_rings(sources: &[KeySource]) -> Result<Vec<openpgp::PublicKey>, TrustError> {
    let mut keys = Vec::new();
    for source in sources {
        let (bytes, shown) = content(source)?;
        let ring = openpgp::key_ring(&bytes);
        if ring.is_empty() {
            return Err(TrustError::KeyRing { shown });
        }
        keys.extend(ring);
    }
    Ok(keys)
}

fn certificates(source: &KeySource) -> Result<Vec<Vec<u8>>, TrustError> {
    let (bytes, shown) = content(source)?;
    read_pem(&bytes).map_err(|error| TrustError::Content { shown, error })
}

/// Why the keys and certificates of a policy cannot be used.
#[derive(Debug, thiserror::Error)]
enum TrustError {
    #[error("has a certificate that cannot be used: {0}")]
    Certificate(SignatureError),
    #[error("has {shown}, which cannot be used: {error}")]
    Content { shown: String, error: SignatureError },
    #[error("has {shown}, which cannot be used: {error}")]
    Key { shown: String, error: KeyError },
    #[error("has {shown}, which holds no key of OpenPGP with RSA or Ed25519")]
    KeyRing { shown: String },
    #[error("names the file {}, which cannot be read: {}", path.display(), system_words(error))]
    File { path: PathBuf, error: std::io::Error },
}

/// What a policy names, and what it is called.
fn content(source: &KeySource) -> Result<(Vec<u8>, String), TrustError> {
    match source {
        KeySource::Data(bytes) => Ok((bytes.clone(), "a key or certificate in its text".to_owned())),
        KeySource::Path(path) => match fs::read(path) {
            Ok(bytes) => Ok((bytes, format!("the file {}", path.display()))),
            Err(error) => Err(TrustError::File { path: path.clone(), error }),
        },
    }
}

/// The YAML files of a directory, in the order of their names.
fn files(folder: Option<&Path>) -> Result<Vec<PathBuf>, Error> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let failed = |error| Error::io("read", folder, &error);
    let entries = fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    Ok(paths)
}
