//! Attached artifacts travel with their images: signatures, attestations and SBOMs, in cosign's tags and as manifests that
//! refer to the image. In a directory, what refers to an image is an index under the tag `sha256-<hex>`, as registries
//! without lists of referrers keep it.
//!
//! What the destination has already is never lost: signatures, attestations and lists are joined, an SBOM stays.

use std::collections::{BTreeMap, BTreeSet};

use fbc_registry::attached::{SUFFIXES, index_of, referrers_tag, tag};
use fbc_registry::copy::RegistryImage;
use fbc_registry::{
    CopyReport, Manifest, Reference, RegistryError, Result as RegistryResult, Source, copy_image,
};
use fbc_source::Error;
use fbc_source::signatures::SignatureImage;
use oci_spec::image::{Descriptor, Digest, ImageIndex};

use super::Place;
use super::copy_error::{CopyError, Kind, Watched};
use super::joined::{Joined, OneOf, Referrers};
use super::record::Copied;
use super::sink::{FolderPart, RegistryPart};
use super::transfer::{Blobs, Destination, Transfer, begin};

/// What refers to an image may be signed itself: so many steps are followed.
const STEPS: usize = 3;

/// What a list of referrers came to.
struct Listed {
    /// The digests of those that exist.
    referrers: Vec<Digest>,
    blobs: Blobs,
}

impl Transfer<'_> {
    /// Copies what is attached to an image and, if that is an index, to all that it lists. `manifests` are those that were
    /// copied.
    pub(super) async fn copy_attached(
        &self,
        source: &Reference,
        manifests: &[Descriptor],
        place: &Place,
    ) -> Result<Blobs, CopyError> {
        let mut blobs = Blobs::new();
        let mut level: Vec<Digest> = manifests.iter().map(|one| one.digest().clone()).collect();
        let mut known: BTreeSet<String> = level.iter().map(ToString::to_string).collect();
        for _ in 0..STEPS {
            let mut next = Vec::new();
            for subject in &level {
                let _turn = self.turn(format!("{}@{subject}", place.repository)).await;
                blobs.extend(self.copy_tags(source, subject, place).await?);
                let referrers = self.session.client().referrers(source, subject).await?;
                if referrers.is_empty() {
                    continue;
                }
                let list = Referrers::new(self.session.client(), source, subject, referrers)?;
                let place = Place { repository: place.repository.clone(), tag: referrers_tag(subject) };
                let listed = self.copy_list(&list, subject, place).await?;
                blobs.extend(listed.blobs);
                next.extend(listed.referrers);
            }
            level = next.into_iter().filter(|digest| known.insert(digest.to_string())).collect();
        }
        Ok(blobs)
    }

    async fn copy_tags(
        &self,
        source: &Reference,
        subject: &Digest,
        place: &Place,
    ) -> Result<Blobs, CopyError> {
        let client = self.session.client();
        let mut blobs = Blobs::new();
        for suffix in SUFFIXES {
            let tag = tag(subject, suffix);
            if client.find_beside(source, subject, tag.clone()).await?.is_none() {
                continue;
            }
            let image = RegistryImage::unguarded(client, &source.with_tag(tag.clone()));
            let place = Place { repository: place.repository.clone(), tag };
            blobs.extend(self.copy_artifact(&image, place).await?);
        }
        Ok(blobs)
    }

    /// Copies what one place of the record holds, which is attached to an image.
    pub(super) async fn copy_recorded(&self, source: &dyn Source, place: Place) -> Result<Blobs, CopyError> {
        match subject_of(&place.tag) {
            Some(subject) => self.copy_list(source, &subject, place).await.map(|listed| listed.blobs),
            None => self.copy_artifact(source, place).await,
        }
    }

    /// Copies what lies under a tag of cosign's. Signatures and attestations that are at the destination stay behind those
    /// that come; an SBOM stays in its place.
    async fn copy_artifact(&self, source: &dyn Source, place: Place) -> Result<Blobs, CopyError> {
        let options = self.for_all_platforms();
        let arrived = match self.there(&place).await? {
            None => self.copy(source, &place, &options).await?,
            Some((found, _)) if suffix_of(&place.tag) == Some("sbom") => {
                if source.root().await?.descriptor.digest() != found.descriptor.digest() {
                    self.warn(format!(
                        "{place} holds another SBOM than the source, and stays as it is; remove it there to get that of the source"
                    ));
                }
                self.note_attached(place, found.descriptor.digest().to_string(), false);
                return Ok(Blobs::new());
            }
            Some((found, there)) => match SignatureImage::joined(&source.root().await?, &found)? {
                None => self.copy(source, &place, &options).await?,
                Some(image) => self.copy(&Joined { source, there, image }, &place, &options).await?,
            },
        };
        self.note_attached(place, arrived.digest, arrived.is_carried);
        Ok(arrived.blobs)
    }

    /// Copies a list of referrers with all that it names and that exists. Those that are at the destination stay in its
    /// list.
    async fn copy_list(
        &self,
        list: &dyn Source,
        subject: &Digest,
        place: Place,
    ) -> Result<Listed, CopyError> {
        let root = list.root().await?;
        let Manifest::Index(index) = &root.manifest else {
            return Err(Error::new(format!("{place} does not list what refers to an image")).into());
        };
        match self.target {
            Destination::Registry(prefix) => {
                let image = self.reference(prefix, &place)?;
                let client = self.session.client();
                let copy = async |one: &Watched<'_>, referrer: &Descriptor| {
                    let image = image.with_digest(referrer.digest().clone());
                    let image = RegistryImage::unguarded(client, &image);
                    let sink = RegistryPart::new(self, image, prefix, &place.repository);
                    copy_image(one, &sink, &self.for_all_platforms()).await
                };
                let (existing, blobs) = self.copy_referrers(list, index, subject, copy).await?;
                let listed = Listed::new(&existing, blobs);
                if !existing.is_empty() && !client.lists_referrers(&image, subject).await? {
                    client.list_under_tag(&image, subject, existing).await?;
                }
                self.note_attached(place, root.descriptor.digest().to_string(), false);
                Ok(listed)
            }
            Destination::Folder(folder) => {
                let output = begin(folder, Some(&place), self.options.follows_links)?;
                let sink = FolderPart::new(self, output.blobs(), &place.repository);
                let copy = async |one: &Watched<'_>, _: &Descriptor| {
                    copy_image(one, &sink, &self.for_all_platforms()).await
                };
                let (mut existing, blobs) = self.copy_referrers(list, index, subject, copy).await?;
                let listed = Listed::new(&existing, blobs);
                if existing.is_empty() {
                    return Ok(listed);
                }
                if let Some((found, _)) = self.there(&place).await?
                    && let Manifest::Index(found) = found.manifest
                {
                    let others =
                        found.manifests().iter().filter(|one| !listed.referrers.contains(one.digest()));
                    existing.extend(others.cloned());
                }
                existing.sort_by_key(|one| one.digest().to_string());
                let index = index_of(existing).map_err(|problem| {
                    RegistryError::new("list what refers to", subject.to_string(), problem)
                })?;
                let digest = index.descriptor.digest().to_string();
                let is_carried = self.earlier.has(&place, &digest);
                if !is_carried {
                    sink.keep()?;
                    output.blobs().insert_bytes(&index.descriptor, &index.bytes)?;
                    output.finish(&index.descriptor)?;
                }
                self.note_attached(place, digest, is_carried);
                Ok(listed)
            }
        }
    }

    /// Copies the manifests of a list, each with all that belongs to it. One that does not exist is left out.
    async fn copy_referrers(
        &self,
        list: &dyn Source,
        index: &ImageIndex,
        subject: &Digest,
        copy: impl AsyncFn(&Watched<'_>, &Descriptor) -> RegistryResult<CopyReport>,
    ) -> Result<(Vec<Descriptor>, Blobs), CopyError> {
        let (mut existing, mut blobs) = (Vec::new(), Blobs::new());
        for referrer in index.manifests() {
            let one = OneOf { list, referrer };
            let one = Watched::new(&one);
            match copy(&one, referrer).await.map_err(|error| CopyError::of_copy(error, &one)) {
                Ok(report) => {
                    blobs.extend(report.blobs);
                    existing.push(referrer.clone());
                }
                Err(CopyError { kind: Kind::Missing, .. }) => self.warn(format!(
                    "{} is listed as an artifact of {subject} and does not exist; it is left out",
                    referrer.digest()
                )),
                Err(error) => return Err(error),
            }
        }
        Ok((existing, blobs))
    }
}

impl Listed {
    fn new(existing: &[Descriptor], blobs: Blobs) -> Self {
        Self { referrers: existing.iter().map(|one| one.digest().clone()).collect(), blobs }
    }
}

/// What the tag of an artifact ends with.
fn suffix_of(tag: &str) -> Option<&str> {
    tag.rsplit_once('.').map(|(_, suffix)| suffix)
}

/// The digest of the image that a tag of referrers is made of; nothing for other tags.
fn subject_of(tag: &str) -> Option<Digest> {
    let hex = tag.strip_prefix("sha256-").filter(|hex| hex.len() == 64)?;
    format!("sha256:{hex}").parse().ok()
}

/// Kinds of what was copied, for people: `2 signatures, 1 SBOM`.
pub fn in_words(copied: &[&Copied]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in copied {
        let kind = match suffix_of(&one.tag) {
            Some("sig") => "tag of signatures",
            Some("att") => "tag of attestations",
            Some("sbom") => "SBOM",
            _ => "list of referrers",
        };
        *counts.entry(kind).or_default() += 1;
    }
    let plural = |kind: &str, count: usize| match (count, kind.split_once(' ')) {
        (1, _) => format!("1 {kind}"),
        (_, Some((first, rest))) => format!("{count} {first}s {rest}"),
        (_, None) => format!("{count} {kind}s"),
    };
    counts.iter().map(|(kind, count)| plural(kind, *count)).collect::<Vec<_>>().join(", ")
}
