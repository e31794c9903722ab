//! What registries keep beside an image: tags that are made of its digest, as cosign makes them, and manifests that name
//! it as their subject.
//!
//! Source: `sigstore/cosign:specs/SIGNATURE_SPEC.md`, `opencontainers/distribution-spec:spec.md` (Listing Referrers,
//! Referrers Tag Schema).

use bytes::Bytes;
use fbc_image::canonical;
use oci_spec::image::{Descriptor, Digest};
use serde_json::json;

use crate::client::Client;
use crate::error::{Pending, Problem, RegistryError, Result};
use crate::manifest::{ACCEPTED, FetchedManifest, Manifest};
use crate::mirrors::Endpoint;
use crate::reference::Reference;

/// What the tags of signatures, attestations and SBOMs end with.
pub const SUFFIXES: [&str; 3] = ["sig", "att", "sbom"];

/// A blob that is read into memory is not larger, in bytes.
const DOCUMENT: u64 = 4 << 20;

/// `sha256-<hex>`: the tag under which a registry without a list of referrers keeps one. Longer digests are cut.
#[must_use]
pub fn referrers_tag(digest: &Digest) -> String {
    let digits: String = digest.digest().chars().take(64).collect();
    format!("{}-{digits}", digest.algorithm())
}

/// `sha256-<hex>.sig`: the tag of what belongs to an image. Cosign cuts nothing, so what has a longer digest than SHA-256
/// has no such tag: registries take none over 128 characters.
#[must_use]
pub fn tag(digest: &Digest, suffix: &str) -> String {
    format!("{}.{suffix}", digest.to_string().replace(':', "-"))
}

/// An index of manifests, in OCI's form.
///
/// # Errors
/// [`Problem::Manifest`]
pub fn index_of(manifests: Vec<Descriptor>) -> std::result::Result<FetchedManifest, Problem> {
    let manifests: Vec<_> = manifests.iter().map(canonical::descriptor).collect();
    let index = json!({ "schemaVersion": 2, "mediaType": ACCEPTED[0], "manifests": manifests });
    let bytes = canonical::bytes(index);
    FetchedManifest::read(bytes.into(), Some(ACCEPTED[0]), None)
}

impl Client {
    /// The manifest of a reference; nothing if there is none.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn find<'a>(&'a self, reference: &'a Reference) -> Pending<'a, Option<FetchedManifest>> {
        Box::pin(async move { unless_absent(self.manifest(reference).await) })
    }

    /// The manifest in the place that the reference names; nothing if there is none. Mirrors are not asked: who adds to
    /// what is there must know all of it.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn find_at_origin<'a>(&'a self, reference: &'a Reference) -> Pending<'a, Option<FetchedManifest>> {
        Box::pin(async move { unless_absent(self.manifest_at_origin(reference).await) })
    }

    /// A small blob, whole and verified.
    ///
    /// # Errors
    /// [`RegistryError`]; [`Problem::TooLarge`] beyond 4 MiB.
    pub fn document<'a>(
        &'a self,
        reference: &'a Reference,
        descriptor: &'a Descriptor,
    ) -> Pending<'a, Vec<u8>> {
        Box::pin(async move {
            if descriptor.size() > DOCUMENT {
                let problem = Problem::TooLarge { limit: DOCUMENT, is_setting: false };
                return Err(RegistryError::new("get the blob", descriptor.digest().to_string(), problem));
            }
            let mut bytes = Vec::new();
            self.blob(reference, descriptor, &mut bytes).await?;
            Ok(bytes)
        })
    }

    /// What a tag beside an image names; nothing if there is none. The first endpoint that has the image decides: a mirror
    /// need not be asked about what its original may have, nor an original that cannot be reached.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn find_beside<'a>(
        &'a self,
        image: &'a Reference,
        digest: &'a Digest,
        tag: String,
    ) -> Pending<'a, Option<FetchedManifest>> {
        Box::pin(async move {
            let beside = image.with_tag(tag);
            let found = self.first_beside(digest, &beside, async |endpoint| {
                unless_absent(self.transport.manifest_at(endpoint).await)
            });
            found.await
        })
    }

    /// What refers to an image, as its registry lists it, or a tag where it keeps no lists.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn referrers<'a>(&'a self, image: &'a Reference, digest: &'a Digest) -> Pending<'a, Vec<Descriptor>> {
        Box::pin(async move {
            let pinned = image.with_digest(digest.clone());
            let listed = self.first_beside(digest, &pinned, async |endpoint| {
                let listed = self.transport.referrers_at(endpoint, digest).await?;
                Ok(listed.filter(|referrers| !referrers.is_empty()))
            });
            match listed.await? {
                Some(referrers) => Ok(referrers),
                // Who copied an image here may have known no list but that.
                None => self.referrers_of_tag(image, digest).await,
            }
        })
    }

    /// What refers to an image in the place that the reference names; mirrors are not asked.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn referrers_at_origin<'a>(
        &'a self,
        image: &'a Reference,
        digest: &'a Digest,
    ) -> Pending<'a, Vec<Descriptor>> {
        Box::pin(async move {
            let endpoint = self.push_endpoint(&image.with_digest(digest.clone()))?;
            let listed = self.transport.referrers_at(&endpoint, digest).await?;
            match listed.filter(|referrers| !referrers.is_empty()) {
                Some(referrers) => Ok(referrers),
                None => self.listed_under_tag(image, digest).await,
            }
        })
    }

    /// The answer of the first endpoint that has the image, or something beside it. An endpoint that has neither leaves the
    /// question to the next one; nothing lies there only if all of them say so.
    async fn first_beside<T>(
        &self,
        digest: &Digest,
        reference: &Reference,
        ask: impl AsyncFn(&Endpoint) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let endpoints = self.pull_endpoints(reference)?;
        let mut failed = None;
        for endpoint in &endpoints {
            let answer = ask(endpoint).await;
            if let Ok(Some(found)) = answer {
                return Ok(Some(found));
            }
            let has_image = async || {
                let place = endpoint.reference.with_digest(digest.clone());
                self.transport.resolve_at(&Endpoint { reference: place, ..endpoint.clone() }).await.is_ok()
            };
            if endpoints.len() == 1 || has_image().await {
                return answer;
            }
            failed = failed.or(answer.err());
        }
        failed.map_or(Ok(None), Err)
    }

    async fn referrers_of_tag(&self, image: &Reference, digest: &Digest) -> Result<Vec<Descriptor>> {
        let found = self.find_beside(image, digest, referrers_tag(digest)).await?;
        Ok(listed_in(unless_itself(found, digest)))
    }

    /// What the tag of referrers lists in the place that the reference names.
    async fn listed_under_tag(&self, image: &Reference, digest: &Digest) -> Result<Vec<Descriptor>> {
        let found = self.find_at_origin(&image.with_tag(referrers_tag(digest))).await?;
        Ok(listed_in(unless_itself(found, digest)))
    }

    /// Whether the registry that an image is pushed to lists what refers to it.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn lists_referrers<'a>(&'a self, image: &'a Reference, digest: &'a Digest) -> Pending<'a, bool> {
        Box::pin(async move {
            let endpoint = self.push_endpoint(&image.with_digest(digest.clone()))?;
            Ok(self.transport.referrers_at(&endpoint, digest).await?.is_some())
        })
    }

    /// Puts a manifest that names an image as its subject, and lists it under the tag where the registry keeps no lists.
    /// `listed` is how it stands in the list.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn attach<'a>(
        &'a self,
        image: &'a Reference,
        digest: &'a Digest,
        bytes: Bytes,
        listed: Descriptor,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            let place = image.with_digest(listed.digest().clone());
            let endpoint = self.push_endpoint(&place)?;
            let kind = listed.media_type().to_string();
            let put = self.transport.put_manifest_at(&endpoint, place.identifier(), &kind, bytes).await?;
            let lists = match put.lists_referrers {
                Some(lists) => lists,
                None => self.lists_referrers(image, digest).await?,
            };
            if lists {
                return Ok(());
            }
            self.list_under_tag(image, digest, vec![listed]).await
        })
    }

    /// Adds referrers to the list that a tag names.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn list_under_tag<'a>(
        &'a self,
        image: &'a Reference,
        digest: &'a Digest,
        more: Vec<Descriptor>,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut referrers = self.listed_under_tag(image, digest).await?;
            let before = referrers.len();
            for one in more {
                if !referrers.iter().any(|known| known.digest() == one.digest()) {
                    referrers.push(one);
                }
            }
            if referrers.len() == before {
                return Ok(());
            }
            let index = index_of(referrers)
                .map_err(|problem| RegistryError::new("list what refers to", digest.to_string(), problem))?;
            let tag = image.with_tag(referrers_tag(digest));
            self.put_manifest(&tag, ACCEPTED[0], index.bytes).await.map(drop)
        })
    }
}

/// What was found; nothing if it is not there.
fn unless_absent(found: Result<FetchedManifest>) -> Result<Option<FetchedManifest>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.problem.is_absence() => Ok(None),
        Err(error) => Err(error),
    }
}

/// What was found beside an image; nothing if it is the image: GitLab takes `sha256-<hex>` for the digest
/// (`oras-project/oras-go#1396`).
fn unless_itself(found: Option<FetchedManifest>, image: &Digest) -> Option<FetchedManifest> {
    found.filter(|found| found.descriptor.digest() != image)
}

/// What the index in a tag of referrers lists.
fn listed_in(found: Option<FetchedManifest>) -> Vec<Descriptor> {
    match found.map(|found| found.manifest) {
        Some(Manifest::Index(index)) => index.manifests().clone(),
        _ => Vec::new(),
    }
}

impl Problem {
    /// Whether what was asked for is not there.
    #[must_use]
    pub fn is_absence(&self) -> bool {
        match self {
            Self::NoRepository(_) | Self::NotFound(_) => true,
            Self::Endpoints(errors) => {
                !errors.is_empty() && errors.iter().all(|error| error.problem.is_absence())
            }
            _ => false,
        }
    }
}
