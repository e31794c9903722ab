//! What lies beside images travels with them: signatures, attestations and SBOMs, in cosign's tags and as manifests that
//! refer to the image. In a directory, what refers to an image is an index under the tag `sha256-<hex>`, as registries
//! without lists of referrers keep it.

use std::collections::{BTreeMap, BTreeSet};

use fbc_image::registry::attached::{SUFFIXES, index_of, referrers_tag, tag};
use fbc_image::registry::copy::RegistryImage;
use fbc_image::registry::{
    BlobSource, Client, CopyOptions, FetchedManifest, Manifest, Reference, RegistryError,
    Result as RegistryResult, Source,
};
use oci_spec::image::{Descriptor, Digest};

use super::Place;
use super::obstacle::Obstacle;
use super::record::Copied;
use super::transfer::{Blobs, Target, copy};
use crate::registry::OpenSession;
use crate::signing::attached::SignatureImage;

/// What the tags of signatures end with.
const SIGNATURES: &str = "sig";

/// What refers to an image may be signed itself: so many steps are followed.
const STEPS: usize = 3;

/// What was copied beside an image.
#[derive(Default)]
pub(super) struct Attached {
    pub(super) copied: Vec<Copied>,
    pub(super) blobs: Blobs,
}

/// Copies what lies beside an image and, if that is an index, beside its images. `digest` is that of what was copied.
pub(super) async fn copy_attached(
    source: &Reference,
    digest: &str,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
    session: &OpenSession,
) -> Result<Attached, Obstacle> {
    // What belongs to an image is for all platforms.
    let options = &CopyOptions { platform: None, ..options.clone() };
    let client = session.client();
    let mut found = Attached::default();
    let Ok(digest) = digest.parse::<Digest>() else { return Ok(found) };
    let root = client.manifest(&source.with_digest(digest.clone())).await?;
    let mut level: Vec<Digest> = vec![digest];
    if let Manifest::Index(index) = &root.manifest {
        level.extend(index.manifests().iter().map(|one| one.digest().clone()));
    }
    let mut known: BTreeSet<String> = level.iter().map(ToString::to_string).collect();
    for _ in 0..STEPS {
        let mut next = Vec::new();
        for subject in &level {
            copy_tags(source, subject, place, target, options, session, &mut found).await?;
            let referrers = client.referrers(source, subject).await?;
            if referrers.is_empty() {
                continue;
            }
            next.extend(referrers.iter().map(|one| one.digest().clone()));
            let list = Referrers::new(client, source, subject, referrers)?;
            let place = Place { repository: place.repository.clone(), tag: referrers_tag(subject) };
            found.take(copy_list(&list, subject, &place, target, options, session).await?, place);
        }
        level = next.into_iter().filter(|digest| known.insert(digest.to_string())).collect();
    }
    Ok(found)
}

async fn copy_tags(
    source: &Reference,
    subject: &Digest,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
    session: &OpenSession,
    found: &mut Attached,
) -> Result<(), Obstacle> {
    let client = session.client();
    for suffix in SUFFIXES {
        if client.find_beside(source, subject, tag(subject, suffix)).await?.is_none() {
            continue;
        }
        let beside = source.with_tag(tag(subject, suffix));
        let place = Place { repository: place.repository.clone(), tag: tag(subject, suffix) };
        let image = RegistryImage::unguarded(client, &beside);
        let copied = match suffix {
            SIGNATURES => copy_signatures(&image, &place, target, options, session).await?,
            _ => copy(&image, &place, target, options, session).await?,
        };
        found.take(copied, place);
    }
    Ok(())
}

/// Copies the signatures of an image. In a registry, those that were made there stay behind them.
pub(super) async fn copy_signatures(
    source: &impl Source,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
    session: &OpenSession,
) -> Result<(String, Blobs), Obstacle> {
    let Target::Registry(prefix) = target else { return copy(source, place, target, options, session).await };
    let there = session.reference(&prefix.below(&place.to_string()))?;
    let Some(found) = session.client().find_at_origin(&there).await? else {
        return copy(source, place, target, options, session).await;
    };
    match SignatureImage::joined(&source.root().await?, &found)? {
        None => copy(source, place, target, options, session).await,
        Some(image) => {
            let there = RegistryImage::unguarded(session.client(), &there);
            copy(&Joined { source, there, image }, place, target, options, session).await
        }
    }
}

/// Copies a list of referrers with all that it names. In a registry, those that are there already stay in its list.
pub(super) async fn copy_list(
    list: &impl Source,
    subject: &Digest,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
    session: &OpenSession,
) -> Result<(String, Blobs), Obstacle> {
    let Target::Registry(prefix) = target else { return copy(list, place, target, options, session).await };
    let root = list.root().await?;
    let Manifest::Index(index) = &root.manifest else {
        return Err(
            crate::failure::Failure::new(format!("{place} does not list what refers to an image")).into()
        );
    };
    let mut blobs = Blobs::new();
    let referrers = index.manifests();
    let image = session.reference(&prefix.below(&place.to_string()))?;
    for referrer in referrers {
        let one = OneOf { list, referrer };
        let sink = RegistryImage::unguarded(session.client(), &image.with_digest(referrer.digest().clone()));
        blobs.extend(fbc_image::registry::copy_image(&one, &sink, options).await?.blobs);
    }
    let client = session.client();
    if client.lists_referrers(&image, subject).await? {
        return Ok((root.descriptor.digest().to_string(), blobs));
    }
    client.list_under_tag(&image, subject, referrers.clone()).await?;
    Ok((root.descriptor.digest().to_string(), blobs))
}

impl Attached {
    fn take(&mut self, (digest, blobs): (String, Blobs), place: Place) {
        let Place { repository, tag } = place;
        self.copied.push(Copied { source: None, repository, tag, digest, catalog: None, is_attached: true });
        self.blobs.extend(blobs);
    }
}

/// The list of what refers to an image, as an index.
struct Referrers {
    index: FetchedManifest,
    image: RegistryImage,
}

impl Referrers {
    fn new(
        client: &Client,
        source: &Reference,
        subject: &Digest,
        mut referrers: Vec<Descriptor>,
    ) -> Result<Self, Obstacle> {
        referrers.sort_by_key(|one| one.digest().to_string());
        let index = index_of(referrers)
            .map_err(|problem| RegistryError::new("list what refers to", subject.to_string(), problem))?;
        let image = RegistryImage::unguarded(client, &source.with_digest(subject.clone()));
        Ok(Self { index, image })
    }
}

impl Source for Referrers {
    async fn root(&self) -> RegistryResult<FetchedManifest> {
        Ok(self.index.clone())
    }

    async fn manifest(&self, descriptor: &Descriptor) -> RegistryResult<FetchedManifest> {
        self.image.manifest(descriptor).await
    }

    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        self.image.blob(descriptor)
    }

    fn repository(&self) -> Option<&Reference> {
        self.image.repository()
    }
}

/// One manifest of a list.
struct OneOf<'l, S> {
    list: &'l S,
    referrer: &'l Descriptor,
}

impl<S: Source> Source for OneOf<'_, S> {
    async fn root(&self) -> RegistryResult<FetchedManifest> {
        self.list.manifest(self.referrer).await
    }

    async fn manifest(&self, descriptor: &Descriptor) -> RegistryResult<FetchedManifest> {
        self.list.manifest(descriptor).await
    }

    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        self.list.blob(descriptor)
    }

    fn repository(&self) -> Option<&Reference> {
        self.list.repository()
    }
}

/// The signatures of a source with those of the destination behind them.
struct Joined<'s, S> {
    source: &'s S,
    there: RegistryImage,
    image: SignatureImage,
}

impl<S: Source> Source for Joined<'_, S> {
    async fn root(&self) -> RegistryResult<FetchedManifest> {
        Ok(self.image.manifest.clone())
    }

    async fn manifest(&self, descriptor: &Descriptor) -> RegistryResult<FetchedManifest> {
        self.source.manifest(descriptor).await
    }

    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        let (configuration, bytes) = &self.image.configuration;
        match descriptor.digest() {
            digest if digest == configuration.digest() => Ok(Box::new(bytes.clone())),
            digest if self.image.added.contains(&digest.to_string()) => self.there.blob(descriptor),
            _ => self.source.blob(descriptor),
        }
    }

    fn repository(&self) -> Option<&Reference> {
        self.source.repository()
    }
}

/// Whether a tag holds the signatures of an image.
pub(super) fn is_signatures(tag: &str) -> bool {
    tag.rsplit_once('.').is_some_and(|(_, suffix)| suffix == SIGNATURES)
}

/// The digest of the image that a tag of referrers is made of; nothing for other tags.
pub(super) fn subject_of(tag: &str) -> Option<Digest> {
    let hex = tag.strip_prefix("sha256-").filter(|hex| hex.len() == 64)?;
    format!("sha256:{hex}").parse().ok()
}

/// Kinds of what was copied, for people: `2 signatures, 1 SBOM`.
pub(crate) fn in_words(copied: &[Copied]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in copied {
        let kind = match one.tag.rsplit_once('.').map(|(_, suffix)| suffix) {
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
