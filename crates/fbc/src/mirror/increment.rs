//! Directories that hold only what earlier ones did not carry: blobs are left out when they are written, and expected at the
//! destination when they are read.

use std::collections::BTreeSet;

use fbc_image::registry::observer::BlobOutcome;
use fbc_image::registry::{
    BlobSource, FetchedManifest, FolderSink, LocalImage, Problem, Reference, RegistryError, Result, Sink,
    Source,
};
use futures_util::future::BoxFuture;
use oci_spec::image::{Descriptor, Digest};

/// A directory that does not get what an earlier one carried. Manifests are small and always there.
pub(super) struct Increment<'t> {
    pub(super) sink: FolderSink<'t>,
    pub(super) carried: Option<&'t BTreeSet<String>>,
}

impl Sink for Increment<'_> {
    async fn put_blob(
        &self,
        descriptor: &Descriptor,
        blob: &dyn BlobSource,
        origin: Option<&Reference>,
    ) -> Result<BlobOutcome> {
        match self.carried.is_some_and(|carried| carried.contains(descriptor.digest().as_ref())) {
            true => Ok(BlobOutcome::Existed),
            false => self.sink.put_blob(descriptor, blob, origin).await,
        }
    }

    async fn put_manifest(&self, manifest: &FetchedManifest) -> Result<()> {
        self.sink.put_manifest(manifest).await
    }

    async fn put_root(&self, manifest: &FetchedManifest) -> Result<()> {
        self.sink.put_root(manifest).await
    }
}

/// An image whose blobs may be left out. Only a destination that lacks one asks for it, and gets the reason.
pub(super) struct Incomplete<'i> {
    pub(super) image: LocalImage<'i>,
}

impl Source for Incomplete<'_> {
    async fn root(&self) -> Result<FetchedManifest> {
        self.image.root().await
    }

    async fn manifest(&self, descriptor: &Descriptor) -> Result<FetchedManifest> {
        self.image.manifest(descriptor).await
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn BlobSource>> {
        Ok(self.image.blob(descriptor).unwrap_or_else(|_| {
            Box::new(LeftOut { digest: descriptor.digest().clone(), shown: self.image.shown.clone() })
        }))
    }

    fn repository(&self) -> Option<&Reference> {
        self.image.repository()
    }
}

/// A blob that is not in the directory.
struct LeftOut {
    digest: Digest,
    shown: String,
}

impl BlobSource for LeftOut {
    fn open(&self, _offset: u64) -> BoxFuture<'_, Result<fbc_image::registry::BlobStream>> {
        let reason =
            format!("the directory leaves out the blob {}, and the registry does not have it", self.digest);
        let error = RegistryError::new("read", self.shown.clone(), Problem::Configuration(reason));
        Box::pin(async move { Err(error) })
    }
}
