//! Where the parts of an image go: to a registry, which mounts what it has elsewhere, or to a directory, which leaves out
//! what earlier ones brought.

use std::cell::RefCell;

use fbc_image::BlobFolder;
use fbc_image::registry::copy::RegistryImage;
use fbc_image::registry::observer::BlobOutcome;
use fbc_image::registry::{
    BlobSource, FetchedManifest, FolderSink, Reference, Result as RegistryResult, Sink,
};
use fbc_source::progress::ImageProgress;
use oci_spec::image::Descriptor;

use super::transfer::Transfer;
use super::{Place, Prefix};

/// An image in a registry.
pub(super) struct RegistryPart<'p> {
    pub(super) transfer: &'p Transfer<'p>,
    pub(super) image: RegistryImage,
    pub(super) prefix: &'p Prefix,
    pub(super) place: &'p Place,
    pub(super) bar: RefCell<Option<Box<dyn ImageProgress>>>,
}

impl Sink for RegistryPart<'_> {
    fn expect_blobs(&self, blobs: &[Descriptor]) {
        self.bar.replace(self.transfer.session.image_progress(&self.place.repository, blobs));
    }

    async fn put_blob(
        &self,
        descriptor: &Descriptor,
        blob: &dyn BlobSource,
        origin: Option<&Reference>,
    ) -> RegistryResult<BlobOutcome> {
        let digest = descriptor.digest().to_string();
        let holder = self.transfer.blobs.borrow().get(&digest).and_then(|holders| holders.first().cloned());
        let holder = holder.and_then(|repository| Reference::parse(&self.prefix.below(&repository)).ok());
        let outcome = self.image.put_blob(descriptor, blob, holder.as_ref().or(origin)).await?;
        self.transfer.note_blob(digest, &self.place.repository);
        Ok(outcome)
    }

    async fn put_manifest(&self, manifest: &FetchedManifest) -> RegistryResult<()> {
        self.image.put_manifest(manifest).await
    }

    async fn put_root(&self, manifest: &FetchedManifest) -> RegistryResult<()> {
        self.image.put_root(manifest).await
    }
}

/// Images in a directory. Their manifests are written by [`FolderPart::keep`]: what an earlier directory has brought needs
/// none.
pub(super) struct FolderPart<'p> {
    transfer: &'p Transfer<'p>,
    sink: FolderSink<'p>,
    repository: &'p str,
    manifests: RefCell<Vec<FetchedManifest>>,
    bar: RefCell<Option<Box<dyn ImageProgress>>>,
}

impl<'p> FolderPart<'p> {
    pub(super) fn new(transfer: &'p Transfer<'p>, blobs: &'p BlobFolder, repository: &'p str) -> Self {
        let sink = FolderSink { client: transfer.session.client(), blobs };
        Self { transfer, sink, repository, manifests: RefCell::default(), bar: RefCell::default() }
    }

    /// Writes the manifests.
    pub(super) fn keep(&self) -> Result<(), fbc_image::ImageError> {
        let manifests = self.manifests.take();
        manifests
            .iter()
            .try_for_each(|manifest| self.sink.blobs.insert_bytes(&manifest.descriptor, &manifest.bytes))
    }
}

impl Sink for FolderPart<'_> {
    fn expect_blobs(&self, blobs: &[Descriptor]) {
        self.bar.replace(self.transfer.session.image_progress(self.repository, blobs));
    }

    async fn put_blob(
        &self,
        descriptor: &Descriptor,
        blob: &dyn BlobSource,
        origin: Option<&Reference>,
    ) -> RegistryResult<BlobOutcome> {
        let digest = descriptor.digest().to_string();
        let is_carried = self.transfer.earlier.has_blob(self.repository, &digest);
        let outcome = match is_carried {
            true => BlobOutcome::Existed,
            false => self.sink.put_blob(descriptor, blob, origin).await?,
        };
        if let Some(bar) = &*self.bar.borrow() {
            bar.blob_is_there(descriptor);
        }
        if !is_carried {
            self.transfer.note_blob(digest, self.repository);
        }
        Ok(outcome)
    }

    async fn put_manifest(&self, manifest: &FetchedManifest) -> RegistryResult<()> {
        self.manifests.borrow_mut().push(manifest.clone());
        Ok(())
    }

    async fn put_root(&self, manifest: &FetchedManifest) -> RegistryResult<()> {
        self.put_manifest(manifest).await
    }
}
