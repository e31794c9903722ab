//! Whole images from one place to another: blobs first, manifests behind them, the root last.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use oci_spec::image::{Descriptor, Platform};

use crate::blob::BlobSource;
use crate::client::Client;
use crate::error::{Pending, Problem, RegistryError, Result};
use crate::limits::INDEX_DEPTH;
use crate::manifest::{FetchedManifest, Manifest, ManifestBudget, check_configuration, is_of_container};
use crate::observer::BlobOutcome;
use crate::platform;
use crate::reference::Reference;

/// A place that has images.
pub trait Source {
    /// The manifest that is meant by the place itself.
    fn root(&self) -> Pending<'_, FetchedManifest>;
    /// A manifest by its descriptor.
    fn manifest<'a>(&'a self, descriptor: &'a Descriptor) -> Pending<'a, FetchedManifest>;
    /// A blob.
    ///
    /// # Errors
    /// [`RegistryError`]
    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn BlobSource>>;
    /// The repository, if it is one.
    fn repository(&self) -> Option<&Reference>;
}

/// A place that takes images.
pub trait Sink {
    /// Told of all blobs of an image before the first one is put.
    fn expect_blobs(&self, _blobs: &[Descriptor]) {}
    /// Takes a blob unless it has it. `origin` is the repository that the blob comes from.
    fn put_blob<'a>(
        &'a self,
        descriptor: &'a Descriptor,
        blob: &'a dyn BlobSource,
        origin: Option<&'a Reference>,
    ) -> Pending<'a, BlobOutcome>;
    /// Takes a manifest that a later one refers to.
    fn put_manifest<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, ()>;
    /// Takes the manifest that is meant by the place itself; whether it was not there.
    fn put_root<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, bool>;
}

/// How to copy.
#[derive(Clone, Debug)]
pub struct CopyOptions {
    /// Only the image for this platform; none copies an index as it is, with all that it names.
    pub platform: Option<Platform>,
    /// How many blobs travel at the same time; at least one.
    pub parallel: usize,
    /// A repository that may have the blobs, so that its registry can mount them; that of the source if none is named.
    pub mount_from: Option<Reference>,
}

impl Default for CopyOptions {
    fn default() -> Self {
        Self { platform: None, parallel: 4, mount_from: None }
    }
}

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyReport {
    /// What is at the destination now.
    pub root: Descriptor,
    /// All manifests of the image, the root first.
    pub manifests: Vec<Descriptor>,
    /// How each blob came there, by digest.
    pub blobs: BTreeMap<String, BlobOutcome>,
    /// Whether the root was not there before.
    pub is_new: bool,
}

/// Copies an image. After an error the destination has blobs but no new image; copying again sends only what is missing.
///
/// # Errors
/// [`RegistryError`]; the first of the blobs' errors ends the copy.
pub fn copy_image<'a>(
    source: &'a dyn Source,
    sink: &'a dyn Sink,
    options: &'a CopyOptions,
) -> Pending<'a, CopyReport> {
    Box::pin(async move {
        let whole = source.root().await?;
        let root = match &options.platform {
            Some(platform) => image_for(platform, whole, source).await?,
            None => whole,
        };
        let manifests = with_children(&root, source).await?;
        for manifest in &manifests {
            if let Manifest::Image(image) = &manifest.manifest
                && is_of_container(image.config())
            {
                check_configuration(image.config())?;
            }
        }
        let blobs = blobs_of(&manifests);
        sink.expect_blobs(&blobs);
        let neighbour = options.mount_from.as_ref().or(source.repository());
        let outcomes = stream::iter(blobs)
            .map(|descriptor| async move {
                let blob = source.blob(&descriptor)?;
                let outcome = sink.put_blob(&descriptor, blob.as_ref(), neighbour).await?;
                Ok::<_, Box<RegistryError>>((descriptor.digest().to_string(), outcome))
            })
            .buffer_unordered(options.parallel.max(1))
            .try_collect()
            .await?;
        // Children before parents; the root is the first of the list.
        for manifest in manifests.iter().skip(1).rev() {
            sink.put_manifest(manifest).await?;
        }
        let is_new = sink.put_root(&root).await?;
        let manifests = manifests.into_iter().map(|manifest| manifest.descriptor).collect();
        Ok(CopyReport { root: root.descriptor, manifests, blobs: outcomes, is_new })
    })
}

/// What an index holds for a platform; an image stays what it is.
async fn image_for(
    platform: &Platform,
    root: FetchedManifest,
    source: &dyn Source,
) -> Result<FetchedManifest> {
    let mut found = root;
    for _ in 0..INDEX_DEPTH {
        let Manifest::Index(index) = &found.manifest else { break };
        let chosen = platform::choose(index, platform).ok_or_else(|| {
            let present: BTreeSet<String> = index
                .manifests()
                .iter()
                .filter_map(|one| one.platform().as_ref().map(platform::show))
                .collect();
            let present = present.into_iter().collect::<Vec<_>>().join(", ");
            let problem = Problem::Platform { wanted: platform::show(platform), present };
            RegistryError::new("copy", found.descriptor.digest().to_string(), problem)
        })?;
        found = source.manifest(chosen).await?;
    }
    Ok(found)
}

/// A manifest and all that it names, parents before children, each once.
async fn with_children(root: &FetchedManifest, source: &dyn Source) -> Result<Vec<FetchedManifest>> {
    let mut budget = ManifestBudget::default();
    budget.take(root)?;
    let mut manifests: Vec<FetchedManifest> = Vec::new();
    let mut known = BTreeSet::from([root.descriptor.digest().to_string()]);
    let mut level = vec![root.clone()];
    for depth in 0.. {
        let mut next = Vec::new();
        for manifest in &level {
            let Manifest::Index(index) = &manifest.manifest else { continue };
            for child in index.manifests() {
                if known.insert(child.digest().to_string()) {
                    let child = source.manifest(child).await?;
                    budget.take(&child)?;
                    next.push(child);
                }
            }
        }
        manifests.append(&mut level);
        if next.is_empty() {
            break;
        }
        if depth == INDEX_DEPTH {
            let problem = Problem::Manifest(format!("indexes are nested more than {INDEX_DEPTH} deep"));
            return Err(RegistryError::new("copy", root.descriptor.digest().to_string(), problem));
        }
        level = next;
    }
    Ok(manifests)
}

/// The blobs of images, each once, in the order of their digests.
fn blobs_of(manifests: &[FetchedManifest]) -> Vec<Descriptor> {
    let mut blobs = BTreeMap::new();
    for manifest in manifests {
        let Manifest::Image(image) = &manifest.manifest else { continue };
        for descriptor in image.layers().iter().chain([image.config()]).filter(|blob| is_distributable(blob))
        {
            blobs.insert(descriptor.digest().to_string(), descriptor.clone());
        }
    }
    blobs.into_values().collect()
}

/// False for layers that registries do not hold, by their licence.
fn is_distributable(descriptor: &Descriptor) -> bool {
    let kind = descriptor.media_type().to_string();
    !(kind.contains(".foreign.") || kind.contains(".nondistributable."))
        || descriptor.urls().as_ref().is_none_or(Vec::is_empty)
}

/// An image in a registry, to copy from or to.
#[derive(Clone)]
pub struct RegistryImage {
    client: Client,
    reference: Reference,
    is_guarded: bool,
}

impl RegistryImage {
    /// The image of a reference.
    #[must_use]
    pub fn new(client: &Client, reference: &Reference) -> Self {
        Self { client: client.clone(), reference: reference.clone(), is_guarded: true }
    }

    /// An image that the guard does not look at: it has let it pass under another name, or the image belongs to another
    /// one as signatures do.
    #[must_use]
    pub fn unguarded(client: &Client, reference: &Reference) -> Self {
        Self { is_guarded: false, ..Self::new(client, reference) }
    }
}

impl Source for RegistryImage {
    fn root(&self) -> Pending<'_, FetchedManifest> {
        Box::pin(async move {
            let root = self.client.manifest(&self.reference).await?;
            if self.is_guarded {
                self.client.admit(&self.reference, root.descriptor.digest()).await?;
            }
            Ok(root)
        })
    }

    fn manifest<'a>(&'a self, descriptor: &'a Descriptor) -> Pending<'a, FetchedManifest> {
        Box::pin(async move {
            self.client.manifest(&self.reference.with_digest(descriptor.digest().clone())).await
        })
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn BlobSource>> {
        Ok(Box::new(self.client.blob_source(&self.reference, descriptor)?))
    }

    fn repository(&self) -> Option<&Reference> {
        Some(&self.reference)
    }
}

impl Sink for RegistryImage {
    fn put_blob<'a>(
        &'a self,
        descriptor: &'a Descriptor,
        blob: &'a dyn BlobSource,
        origin: Option<&'a Reference>,
    ) -> Pending<'a, BlobOutcome> {
        Box::pin(async move {
            let neighbour = origin
                .filter(|origin| origin.registry() == self.reference.registry())
                .map(Reference::repository)
                .filter(|repository| *repository != self.reference.repository());
            self.client.put_blob(&self.reference, descriptor, blob, neighbour).await
        })
    }

    fn put_manifest<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, ()> {
        Box::pin(async move {
            let reference = self.reference.with_digest(manifest.descriptor.digest().clone());
            self.put(&reference, manifest).await.map(drop)
        })
    }

    fn put_root<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, bool> {
        Box::pin(async move { self.put(&self.reference, manifest).await })
    }
}

impl RegistryImage {
    async fn put(&self, reference: &Reference, manifest: &FetchedManifest) -> Result<bool> {
        let kind = manifest.descriptor.media_type().to_string();
        self.client.bring_manifest(reference, &kind, Bytes::clone(&manifest.bytes)).await
    }
}
