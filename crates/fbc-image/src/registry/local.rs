//! Images on disk as the source and the destination of copies.

use bytes::Bytes;
use oci_spec::image::Descriptor;

use super::blob::{BlobSource, BlobTarget, FilePart};
use super::client::Client;
use super::copy::{Sink, Source};
use super::error::{Problem, RegistryError, Result};
use super::manifest::FetchedManifest;
use super::observer::BlobOutcome;
use super::reference::Reference;
use crate::error::ImageError;
use crate::image::{ImageSource, document};
use crate::store::{BlobFolder, Download};

/// An image on disk, to copy from.
pub struct LocalImage<'s> {
    /// The image.
    pub source: &'s dyn ImageSource,
    /// How it is shown in errors.
    pub shown: String,
}

impl LocalImage<'_> {
    fn failure(&self, error: ImageError) -> Box<RegistryError> {
        RegistryError::new("read", self.shown.clone(), Box::new(error))
    }
}

impl Source for LocalImage<'_> {
    async fn root(&self) -> Result<FetchedManifest> {
        self.manifest(self.source.root()).await
    }

    async fn manifest(&self, descriptor: &Descriptor) -> Result<FetchedManifest> {
        let bytes = document(self.source, descriptor).map_err(|error| self.failure(error))?;
        let kind = descriptor.media_type().to_string();
        FetchedManifest::read(bytes.into(), Some(&kind), Some(descriptor.digest()))
            .map_err(|problem| RegistryError::new("read", self.shown.clone(), problem))
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn BlobSource>> {
        match self.source.place(descriptor).map_err(|error| self.failure(error))? {
            Some((path, start)) => Ok(Box::new(FilePart { path, start, length: descriptor.size() })),
            None => {
                let bytes = document(self.source, descriptor).map_err(|error| self.failure(error))?;
                Ok(Box::new(Bytes::from(bytes)))
            }
        }
    }

    fn repository(&self) -> Option<&Reference> {
        None
    }
}

/// A folder of blobs, to copy to. Manifests become blobs as well, as in a layout.
pub struct FolderSink<'f> {
    /// The client that fetches, checks and repeats.
    pub client: &'f Client,
    /// Where blobs go.
    pub blobs: &'f BlobFolder,
}

impl FolderSink<'_> {
    /// Takes a blob unless it is there whole. Bytes of an earlier run are used.
    async fn take(&self, descriptor: &Descriptor, blob: &dyn BlobSource) -> Result<BlobOutcome> {
        if self.blobs.holds(descriptor).map_err(local)? {
            return Ok(BlobOutcome::Existed);
        }
        let mut download = self.blobs.download(descriptor).map_err(local)?;
        self.client.fetch(blob, descriptor, &mut download).await?;
        download.finish().map_err(local)?;
        let observer = &self.client.transport.settings.observer;
        observer.blob_done(descriptor.digest(), BlobOutcome::Transferred);
        Ok(BlobOutcome::Transferred)
    }

    fn keep(&self, manifest: &FetchedManifest) -> Result<()> {
        self.blobs.insert_bytes(&manifest.descriptor, &manifest.bytes).map_err(local)
    }
}

impl Sink for FolderSink<'_> {
    async fn put_blob(
        &self,
        descriptor: &Descriptor,
        blob: &dyn BlobSource,
        _origin: Option<&Reference>,
    ) -> Result<BlobOutcome> {
        self.take(descriptor, blob).await
    }

    async fn put_manifest(&self, manifest: &FetchedManifest) -> Result<()> {
        self.keep(manifest)
    }

    async fn put_root(&self, manifest: &FetchedManifest) -> Result<()> {
        self.keep(manifest)
    }
}

/// An error of the disk.
pub(super) fn local(error: ImageError) -> Box<RegistryError> {
    match error {
        ImageError::Io { verb, path, source } => {
            RegistryError::new(verb, path.display().to_string(), Problem::Io(source))
        }
        error => RegistryError::new("keep", "the image", Box::new(error)),
    }
}

impl BlobTarget for Download {
    fn resume(&mut self, seen: &mut dyn FnMut(&[u8])) -> std::io::Result<u64> {
        BlobTarget::resume(&mut self.file, seen)
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        BlobTarget::write(&mut self.file, bytes)
    }

    fn restart(&mut self) -> std::io::Result<()> {
        BlobTarget::restart(&mut self.file)
    }
}
