//! Images of registries in a directory of blobs that is kept between runs, and what references meant when they were asked.
//!
//! Blobs are content by digest, so what is there is never asked for again. A tag is asked for each time, unless there
//! is nobody to ask: then it means what it meant the last time.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use fbc_image::ImageError;
use fbc_image::blob::digest_of;
use fbc_image::image::{Image, PlatformChoice, PlatformName, is_image};
use fbc_image::store::{BlobFolder, Contents, FolderImage};
use fbc_staging::{Root, StagedFile, in_place};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use oci_spec::image::{Descriptor, Digest, ImageIndex, MediaType};
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::copy::{CopyOptions, RegistryImage, copy_image};
use crate::error::{Pending, Problem, RegistryError, Result};
use crate::limits::INDEX_DEPTH;
use crate::local::{FolderSink, local};
use crate::manifest::{FetchedManifest, Manifest, ManifestBudget, check_configuration};
use crate::platform;
use crate::reference::Reference;

/// The file of the cache that whoever uses it locks.
const LOCK: &str = "lock";

/// Whether nothing can be written there, as in a cache that is only there to be read.
fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Where images come from that the cache does not have.
#[derive(Clone, Copy)]
pub enum Origin<'c> {
    /// From registries.
    Registry(&'c Client),
    /// From nowhere: nobody may be asked.
    Nowhere,
}

/// An image in the cache.
pub type CachedImage = FolderImage;

/// A directory with blobs and with what references meant.
///
/// Nobody else may read it, since it holds private images too. Who uses it holds a shared lock on its file `lock`, so
/// that nobody empties it in the meantime.
#[derive(Clone, Debug)]
pub struct ImageCache {
    folder: PathBuf,
    blobs: BlobFolder,
    references: PathBuf,
    /// The lock, once it is held; none where the cache cannot be written.
    held: Arc<OnceLock<Option<File>>>,
}

/// What a reference meant.
#[derive(Deserialize, Serialize)]
struct Meaning {
    reference: String,
    media_type: String,
    digest: String,
    size: u64,
}

impl ImageCache {
    /// A cache; nothing is written before an image is kept.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            blobs: BlobFolder::private(folder.join("blobs")),
            references: folder.join("references"),
            folder,
            held: Arc::default(),
        }
    }

    /// The blobs.
    #[must_use]
    pub fn blobs(&self) -> &BlobFolder {
        &self.blobs
    }

    /// Sees to it that nobody empties the cache as long as this value or a clone of it lives.
    fn hold(&self) -> Result<()> {
        if self.held.get().is_some() {
            return Ok(());
        }
        for directory in [&self.folder, self.blobs.root(), &self.references] {
            match Root::create_private(directory) {
                Err(error) if is_read_only(&error) && self.folder.is_dir() => {
                    let _ = self.held.set(None);
                    return Ok(());
                }
                created => {
                    drop(created.map_err(|error| {
                        RegistryError::new("create", directory.display().to_string(), error)
                    })?)
                }
            }
        }
        // Caches of older versions, too.
        for directory in [self.blobs.root(), &self.references] {
            // Where it is not ours, its owner decides.
            let _ = Root::open(directory).and_then(|root| root.make_private());
        }
        let lock = self.lock_file().and_then(|lock| lock.lock_shared().map(|()| lock));
        match lock {
            Ok(lock) => drop(self.held.set(Some(lock))),
            Err(error) if is_read_only(&error) => drop(self.held.set(None)),
            Err(error) => {
                let path = self.folder.join(LOCK);
                return Err(RegistryError::new("lock", path.display().to_string(), error));
            }
        }
        Ok(())
    }

    fn lock_file(&self) -> io::Result<File> {
        in_place::shared(&self.folder.join(LOCK), 0o600)
    }

    /// Removes all blobs, and what references meant; the blobs that were removed. Where others use the cache, `waiting` is
    /// called, and they are waited for.
    ///
    /// # Errors
    /// If the system does not remove a file.
    pub fn clean(&self, waiting: &dyn Fn()) -> std::result::Result<Contents, ImageError> {
        if !self.folder.exists() {
            return Ok(Contents::default());
        }
        let path = self.folder.join(LOCK);
        let lock = self.lock_file().map_err(ImageError::io("lock", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting();
                lock.lock().map_err(ImageError::io("lock", &path))?;
            }
            Err(TryLockError::Error(error)) => return Err(ImageError::io("lock", &path)(error)),
        }
        let entries = match fs::read_dir(&self.references) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.blobs.clean(),
            entries => entries.map_err(ImageError::io("read", &self.references))?,
        };
        let references = Root::open(&self.references).map_err(ImageError::io("read", &self.references))?;
        for entry in entries {
            let path = entry.map_err(ImageError::io("read", &self.references))?.path();
            let name = path.file_name().map(Path::new).unwrap_or(&path);
            if path.extension().is_some_and(|extension| extension == "json") {
                references.remove_file(name).map_err(ImageError::io("remove", &path))?;
            }
        }
        self.blobs.clean()
    }

    /// What a reference means, and the manifests and configurations of the image that is wished for. Its layers may be
    /// missing: see [`ImageCache::layers`].
    ///
    /// # Errors
    /// [`RegistryError`]; [`Problem::NotCached`] if nobody may be asked; [`Problem::Platform`].
    pub fn documents<'a>(
        &'a self,
        origin: Origin<'a>,
        reference: &'a Reference,
        wish: &'a PlatformChoice,
    ) -> Pending<'a, (Descriptor, CachedImage)> {
        Box::pin(async move {
            self.hold()?;
            let mut root = self.root(origin, reference).await?;
            let meaning = root.descriptor.clone();
            for _ in 0..INDEX_DEPTH {
                let Manifest::Index(index) = &root.manifest else { break };
                let Some(chosen) = choose(index, wish, reference)? else { break };
                root = self.manifest(origin, reference, chosen).await?;
            }
            let mut budget = ManifestBudget::default();
            budget.take(&root)?;
            let mut pending = vec![root.clone()];
            for depth in 0.. {
                let mut next = Vec::new();
                for manifest in &pending {
                    match &manifest.manifest {
                        Manifest::Image(image) => {
                            check_configuration(image.config())?;
                            self.fetch(origin, reference, image.config()).await?;
                        }
                        Manifest::Index(index) => {
                            for child in index.manifests().iter().filter(|child| is_image(child)) {
                                let child = self.manifest(origin, reference, child).await?;
                                budget.take(&child)?;
                                next.push(child);
                            }
                        }
                    }
                }
                if next.is_empty() || depth == INDEX_DEPTH {
                    break;
                }
                pending = next;
            }
            Ok((meaning, CachedImage { root: root.descriptor, blobs: self.blobs.clone() }))
        })
    }

    /// The layers of an image of which the documents are there.
    ///
    /// # Errors
    /// As [`ImageCache::documents`].
    pub fn layers<'a>(
        &'a self,
        origin: Origin<'a>,
        reference: &'a Reference,
        image: &'a Image,
        parallel: usize,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            stream::iter(image.manifest.layers())
                .map(|layer| self.fetch(origin, reference, layer))
                .buffer_unordered(parallel.max(1))
                .try_collect()
                .await
        })
    }

    /// A whole image with all that belongs to it, also what is not an image.
    ///
    /// # Errors
    /// As [`ImageCache::documents`].
    pub fn whole<'a>(
        &'a self,
        origin: Origin<'a>,
        reference: &'a Reference,
        options: &'a CopyOptions,
    ) -> Pending<'a, CachedImage> {
        Box::pin(async move {
            self.hold()?;
            let root = match origin {
                Origin::Registry(client) => {
                    let image = RegistryImage::new(client, reference);
                    let sink = FolderSink { client, blobs: &self.blobs };
                    let report = copy_image(&image, &sink, options).await?;
                    if options.platform.is_none() {
                        self.remember(reference, &report.root)?;
                    }
                    report.root
                }
                Origin::Nowhere => self.root(origin, reference).await?.descriptor,
            };
            Ok(CachedImage { root, blobs: self.blobs.clone() })
        })
    }

    /// The manifest that a reference means.
    async fn root(&self, origin: Origin<'_>, reference: &Reference) -> Result<FetchedManifest> {
        if let Some(kept) = self.recalled(reference).filter(|_| is_final(origin, reference)) {
            return Ok(kept);
        }
        let Origin::Registry(client) = origin else {
            return Err(RegistryError::new("find the image", reference.to_string(), Problem::NotCached));
        };
        let fetched = client.manifest(reference).await?;
        self.blobs.insert_bytes(&fetched.descriptor, &fetched.bytes).map_err(local)?;
        self.remember(reference, &fetched.descriptor)?;
        Ok(fetched)
    }

    /// A manifest by its descriptor.
    async fn manifest(
        &self,
        origin: Origin<'_>,
        reference: &Reference,
        descriptor: &Descriptor,
    ) -> Result<FetchedManifest> {
        if let Some(kept) = self.kept(descriptor) {
            return Ok(kept);
        }
        let pinned = reference.with_digest(descriptor.digest().clone());
        let Origin::Registry(client) = origin else {
            return Err(RegistryError::new("find the image", pinned.to_string(), Problem::NotCached));
        };
        let fetched = client.manifest(&pinned).await?;
        self.blobs.insert_bytes(&fetched.descriptor, &fetched.bytes).map_err(local)?;
        Ok(fetched)
    }

    /// Brings a blob into the cache unless it is there.
    async fn fetch(&self, origin: Origin<'_>, reference: &Reference, descriptor: &Descriptor) -> Result<()> {
        if self.blobs.holds(descriptor).map_err(local)? {
            return Ok(());
        }
        let pinned = reference.with_digest(descriptor.digest().clone());
        let Origin::Registry(client) = origin else {
            return Err(RegistryError::new("find the blob", pinned.to_string(), Problem::NotCached));
        };
        let mut download = self.blobs.download(descriptor).map_err(local)?;
        client.blob(&pinned, descriptor, &mut download).await?;
        download.finish().map_err(local)
    }

    /// A manifest that the cache has.
    fn kept(&self, descriptor: &Descriptor) -> Option<FetchedManifest> {
        if !self.blobs.holds(descriptor).ok()? {
            return None;
        }
        let bytes = fs::read(self.blobs.path(descriptor.digest())).ok()?;
        let kind = descriptor.media_type().to_string();
        FetchedManifest::read(Bytes::from(bytes), Some(&kind), Some(descriptor.digest())).ok()
    }

    /// What a reference meant, if the cache has it.
    fn recalled(&self, reference: &Reference) -> Option<FetchedManifest> {
        let meaning: Meaning = serde_json::from_slice(&fs::read(self.meaning(reference)).ok()?).ok()?;
        if meaning.reference != reference.to_string() {
            return None;
        }
        let kind = MediaType::from(meaning.media_type.as_str());
        self.kept(&Descriptor::new(kind, meaning.size, meaning.digest.parse::<Digest>().ok()?))
    }

    /// Notes what a reference means now, and its digest too.
    fn remember(&self, reference: &Reference, descriptor: &Descriptor) -> Result<()> {
        self.note(reference, descriptor)?;
        self.note(&reference.with_digest(descriptor.digest().clone()), descriptor)
    }

    fn note(&self, reference: &Reference, descriptor: &Descriptor) -> Result<()> {
        let meaning = Meaning {
            reference: reference.to_string(),
            media_type: descriptor.media_type().to_string(),
            digest: descriptor.digest().to_string(),
            size: descriptor.size(),
        };
        let path = self.meaning(reference);
        let failure = |error: std::io::Error| RegistryError::new("write", path.display().to_string(), error);
        let bytes = serde_json::to_vec(&meaning).map_err(|error| failure(error.into()))?;
        let staged = StagedFile::private(&self.references).and_then(|mut staged| {
            staged.write_all(&bytes)?;
            staged.publish(&path)
        });
        staged.map(drop).map_err(failure)
    }

    fn meaning(&self, reference: &Reference) -> PathBuf {
        self.references.join(format!("{}.json", digest_of(reference.to_string().as_bytes()).digest()))
    }
}

/// Whether what a reference meant once is what it means now, as far as may be asked.
fn is_final(origin: Origin<'_>, reference: &Reference) -> bool {
    matches!(origin, Origin::Nowhere) || reference.digest().is_some()
}

/// The entry of an index that is wished for; none if all are.
fn choose<'i>(
    index: &'i ImageIndex,
    wish: &PlatformChoice,
    reference: &Reference,
) -> Result<Option<&'i Descriptor>> {
    let images = || index.manifests().iter().filter(|entry| is_image(entry));
    match wish {
        PlatformChoice::All => Ok(None),
        PlatformChoice::Any => {
            let usual = platform::choose(index, &PlatformName::linux("amd64").platform());
            Ok(usual.or_else(|| images().next()))
        }
        PlatformChoice::One(wanted) => match platform::choose(index, &wanted.platform()) {
            Some(chosen) => Ok(Some(chosen)),
            None => {
                let present: std::collections::BTreeSet<String> =
                    images().filter_map(|entry| entry.platform().as_ref().map(platform::show)).collect();
                let present = present.into_iter().collect::<Vec<_>>().join(", ");
                let problem = Problem::Platform { wanted: wanted.to_string(), present };
                Err(RegistryError::new("choose an image of", reference.to_string(), problem))
            }
        },
    }
}
