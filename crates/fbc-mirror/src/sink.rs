//! Where the parts of an image go: to a registry, which mounts what it has elsewhere, or to a directory, which leaves out
//! what earlier ones brought.

use std::cell::RefCell;

use fbc_image::BlobFolder;
use fbc_registry::copy::RegistryImage;
use fbc_registry::observer::BlobOutcome;
use fbc_registry::{BlobSource, FetchedManifest, FolderSink, Pending, Reference, Sink};
use fbc_source::progress::ImageProgress;
use oci_spec::image::Descriptor;

use super::Prefix;
use super::transfer::Transfer;

/// What comes to one repository: it is noted for images that come later, and shown while it travels.
struct Arriving<'p> {
    transfer: &'p Transfer<'p>,
    repository: &'p str,
    bar: RefCell<Option<Box<dyn ImageProgress>>>,
}

impl<'p> Arriving<'p> {
    fn new(transfer: &'p Transfer<'p>, repository: &'p str) -> Self {
        Self { transfer, repository, bar: RefCell::default() }
    }

    fn expect_blobs(&self, blobs: &[Descriptor]) {
        self.bar.replace(self.transfer.session.image_progress(self.repository, blobs));
    }

    fn note_blob(&self, digest: String) {
        self.transfer.note_blob(digest, self.repository);
    }
}

/// An image in a registry.
pub(super) struct RegistryPart<'p> {
    arriving: Arriving<'p>,
    image: RegistryImage,
    prefix: &'p Prefix,
}

impl<'p> RegistryPart<'p> {
    pub(super) fn new(
        transfer: &'p Transfer<'p>,
        image: RegistryImage,
        prefix: &'p Prefix,
        repository: &'p str,
    ) -> Self {
        Self { arriving: Arriving::new(transfer, repository), image, prefix }
    }
}

impl Sink for RegistryPart<'_> {
    fn expect_blobs(&self, blobs: &[Descriptor]) {
        self.arriving.expect_blobs(blobs);
    }

    fn put_blob<'a>(
        &'a self,
        descriptor: &'a Descriptor,
        blob: &'a dyn BlobSource,
        origin: Option<&'a Reference>,
    ) -> Pending<'a, BlobOutcome> {
        Box::pin(async move {
            let digest = descriptor.digest().to_string();
            let holder = self
                .arriving
                .transfer
                .blobs
                .borrow()
                .get(&digest)
                .and_then(|holders| holders.first().cloned());
            let holder = holder.and_then(|repository| Reference::parse(&self.prefix.below(&repository)).ok());
            let outcome = self.image.put_blob(descriptor, blob, holder.as_ref().or(origin)).await?;
            self.arriving.note_blob(digest);
            Ok(outcome)
        })
    }

    fn put_manifest<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, ()> {
        Box::pin(async move { self.image.put_manifest(manifest).await })
    }

    fn put_root<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, bool> {
        Box::pin(async move { self.image.put_root(manifest).await })
    }
}

/// Images in a directory. Their manifests are written by [`FolderPart::keep`]: what an earlier directory has brought needs
/// none.
pub(super) struct FolderPart<'p> {
    arriving: Arriving<'p>,
    sink: FolderSink<'p>,
    manifests: RefCell<Vec<FetchedManifest>>,
}

impl<'p> FolderPart<'p> {
    pub(super) fn new(transfer: &'p Transfer<'p>, blobs: &'p BlobFolder, repository: &'p str) -> Self {
        let sink = FolderSink { client: transfer.session.client(), blobs };
        Self { arriving: Arriving::new(transfer, repository), sink, manifests: RefCell::default() }
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
        self.arriving.expect_blobs(blobs);
    }

    fn put_blob<'a>(
        &'a self,
        descriptor: &'a Descriptor,
        blob: &'a dyn BlobSource,
        origin: Option<&'a Reference>,
    ) -> Pending<'a, BlobOutcome> {
        Box::pin(async move {
            let digest = descriptor.digest().to_string();
            let is_carried = self.arriving.transfer.earlier.has_blob(self.arriving.repository, &digest);
            let outcome = match is_carried {
                true => BlobOutcome::Existed,
                false => self.sink.put_blob(descriptor, blob, origin).await?,
            };
            if let Some(bar) = &*self.arriving.bar.borrow() {
                bar.blob_is_there(descriptor);
            }
            if !is_carried {
                self.arriving.note_blob(digest);
            }
            Ok(outcome)
        })
    }

    fn put_manifest<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, ()> {
        Box::pin(async move {
            self.manifests.borrow_mut().push(manifest.clone());
            Ok(())
        })
    }

    fn put_root<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, bool> {
        Box::pin(async move {
            let digest = manifest.descriptor.digest();
            let is_new = !self.sink.blobs.path(digest).exists();
            self.put_manifest(manifest).await?;
            Ok(is_new)
        })
    }
}
