//! A destination of images with a bar for each.

use fbc_image::registry::observer::BlobOutcome;
use fbc_image::registry::{BlobSource, FetchedManifest, Reference, Result, Sink};
use oci_spec::image::Descriptor;

use crate::registry::ImageBar;

/// A destination whose blobs move the bar of their image.
pub(super) struct Shown<S> {
    pub(super) sink: S,
    pub(super) bar: ImageBar,
}

impl<S: Sink> Sink for Shown<S> {
    async fn put_blob(
        &self,
        descriptor: &Descriptor,
        blob: &dyn BlobSource,
        origin: Option<&Reference>,
    ) -> Result<BlobOutcome> {
        self.bar.expect(descriptor.digest(), descriptor.size());
        let outcome = self.sink.put_blob(descriptor, blob, origin).await;
        self.bar.settle(descriptor.digest(), descriptor.size());
        outcome
    }

    async fn put_manifest(&self, manifest: &FetchedManifest) -> Result<()> {
        self.sink.put_manifest(manifest).await
    }

    async fn put_root(&self, manifest: &FetchedManifest) -> Result<()> {
        self.sink.put_root(manifest).await
    }
}
