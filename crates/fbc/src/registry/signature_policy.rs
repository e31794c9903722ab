//! The policy of signatures at work: `policy.json` and `registries.d` of the machine decide which images may be copied.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_image::registry::{Client, Guard, Problem, Reference, RegistryError, Result as RegistryResult};
use fbc_signature::policy::{self, KeySource};
use fbc_signature::{Attachments, ImageName, Policy, PublicKey, Requirement};
use futures_util::future::LocalBoxFuture;
use oci_spec::image::Digest;

use crate::failure::Failure;
use crate::signing::attached::signatures;

/// Where policy and configuration are, if they are anywhere.
#[derive(Debug, Default)]
pub(super) struct SignaturePaths {
    pub(super) policy: Option<PathBuf>,
    pub(super) registries: Option<PathBuf>,
}

/// A policy, and where it comes from.
#[derive(Debug)]
pub(crate) struct SignaturePolicy {
    policy: Policy,
    shown: String,
    attachments: Attachments,
    /// Whether no registry may be asked for signatures.
    is_offline: bool,
}

impl SignaturePolicy {
    /// Reads policy and configuration. Without a policy every image is accepted.
    pub(super) fn read(paths: &SignaturePaths, is_offline: bool) -> Result<Self, Failure> {
        let (policy, shown) = match &paths.policy {
            Some(path) => {
                let bytes = fs::read(path).map_err(|error| Failure::io("read", path, &error))?;
                let policy = Policy::read(&bytes).map_err(|problem| {
                    Failure::new(format!("{} is not a policy of signatures: {problem}", path.display())).help(
                        "containers-policy.json(5) describes the form; --insecure-policy goes on without it",
                    )
                })?;
                (policy, path.display().to_string())
            }
            None => (Policy::accept_anything(), String::new()),
        };
        let mut attachments = Attachments::default();
        for path in files(paths.registries.as_deref())? {
            let bytes = fs::read(&path).map_err(|error| Failure::io("read", &path, &error))?;
            attachments.add(&bytes).map_err(|problem| {
                Failure::new(format!("{}: {problem}", path.display()))
                    .help("containers-registries.d(5) describes the form")
            })?;
        }
        Ok(Self { policy, shown, attachments, is_offline })
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
                Requirement::SigstoreSigned { keys, identity } => {
                    if !self.attachments.are_used(&name) {
                        let reason = "asks for signatures, and registries.d forbids to look for them";
                        return Err(refused(reason.to_owned()));
                    }
                    if self.is_offline {
                        let reason = "asks for a signature, and --offline forbids to look for it";
                        return Err(refused(reason.to_owned()));
                    }
                    let unusable = |text: String| {
                        let text = format!("{} ({scope}) {text}", self.shown);
                        RegistryError::new("check", image.to_string(), Problem::Configuration(text))
                    };
                    let keys = keys.iter().map(read_key).collect::<Result<Vec<_>, _>>().map_err(unusable)?;
                    let found = signatures(client, image, digest).await?;
                    policy::check(&found.items, &keys, identity, &name, digest.as_ref()).map_err(
                        |reason| refused(format!("asks for a signature: {reason}{}", found.unread())),
                    )?;
                    is_checked = true;
                }
            }
        }
        Ok(is_checked)
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

fn read_key(source: &KeySource) -> Result<PublicKey, String> {
    match source {
        KeySource::Data(bytes) => PublicKey::read(bytes)
            .map_err(|error| format!("has a key that cannot be used: {error}; check its keyData")),
        KeySource::Path(path) => {
            let failed = |error: &dyn std::fmt::Display| {
                let path = path.display();
                format!("names the key {path}: {error}; check its keyPath")
            };
            let bytes = fs::read(path).map_err(|error| failed(&error))?;
            PublicKey::read(&bytes).map_err(|error| failed(&error))
        }
    }
}

/// The YAML files of a directory, in the order of their names.
fn files(folder: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let failed = |error| Failure::io("read", folder, &error);
    let entries = fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    Ok(paths)
}
