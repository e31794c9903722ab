//! Images on disk as the source and the destination of copies.

use std::path::Path;

use bytes::Bytes;
use fbc_image::ImageError;
use fbc_image::image::{ImageSource, document};
use fbc_image::store::{BlobFolder, Download};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};
use oci_spec::image::Descriptor;

use crate::blob::{BlobSource, BlobStream, BlobTarget, FilePart, Verifier};
use crate::client::Client;
use crate::copy::{Sink, Source};
use crate::error::{Pending, Problem, RegistryError, Result};
use crate::manifest::FetchedManifest;
use crate::observer::BlobOutcome;
use crate::reference::Reference;

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
    fn root(&self) -> Pending<'_, FetchedManifest> {
        Box::pin(async move { self.manifest(self.source.root()).await })
    }

    fn manifest<'a>(&'a self, descriptor: &'a Descriptor) -> Pending<'a, FetchedManifest> {
        Box::pin(async move {
            let bytes = document(self.source, descriptor).map_err(|error| self.failure(error))?;
            let kind = descriptor.media_type().to_string();
            FetchedManifest::read(bytes.into(), Some(&kind), Some(descriptor.digest()))
                .map_err(|problem| RegistryError::new("read", self.shown.clone(), problem))
        })
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn BlobSource>> {
        match self.source.place(descriptor).map_err(|error| self.failure(error))? {
            Some((path, start)) => Ok(Box::new(LocalBlob {
                part: FilePart { path, start, length: descriptor.size() },
                descriptor: descriptor.clone(),
                shown: self.shown.clone(),
            })),
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

/// A blob on disk. Its last bytes are given only if all of them are right, as long as they are read from the first one
/// on; so no registry has to find out that a file is damaged.
struct LocalBlob {
    part: FilePart,
    descriptor: Descriptor,
    shown: String,
}

impl BlobSource for LocalBlob {
    fn open(&self, offset: u64) -> BoxFuture<'_, Result<BlobStream>> {
        Box::pin(async move {
            let digest = self.descriptor.digest();
            let refused = |problem: Problem| RegistryError::new("read", self.shown.clone(), problem);
            let verifier = if offset == 0 { Some(Verifier::new(digest).map_err(refused)?) } else { None };
            let reading = Reading {
                blocks: self.part.open(offset).await?,
                verifier,
                read: offset,
                descriptor: self.descriptor.clone(),
                shown: self.shown.clone(),
            };
            Ok(stream::unfold(Some(reading), |reading| async move { reading?.next().await }).boxed())
        })
    }
}

/// A blob that is being read.
struct Reading {
    blocks: BlobStream,
    verifier: Option<Verifier>,
    read: u64,
    descriptor: Descriptor,
    shown: String,
}

impl Reading {
    /// The next block, and what follows it.
    async fn next(mut self) -> Option<(Result<Bytes>, Option<Self>)> {
        let (digest, expected) = (self.descriptor.digest().clone(), self.descriptor.size());
        let wrong = |reading: &Self, error: ImageError| {
            Some((Err(RegistryError::new("read", reading.shown.clone(), Box::new(error))), None))
        };
        let block = match self.blocks.next().await {
            Some(Ok(block)) => block,
            Some(Err(error)) => return Some((Err(error), None)),
            None if self.read < expected => {
                let error = ImageError::WrongSize { digest, expected, found: self.read };
                return wrong(&self, error);
            }
            None => return None,
        };
        self.read += block.len() as u64;
        if let Some(verifier) = &mut self.verifier {
            verifier.update(&block);
        }
        if self.read >= expected
            && let Some(verifier) = self.verifier.take()
            && let Err(Problem::Digest { expected, actual }) = verifier.check(&digest)
        {
            let error = ImageError::WrongDigest { what: "a blob", expected, found: actual };
            return wrong(&self, error);
        }
        Some((Ok(block), Some(self)))
    }
}

/// A directory of blobs, to copy to. Manifests become blobs as well, as in a layout.
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

    /// Takes a manifest; whether it was not there.
    fn keep(&self, manifest: &FetchedManifest) -> Result<bool> {
        let is_new = !self.blobs.holds(&manifest.descriptor).map_err(local)?;
        self.blobs.insert_bytes(&manifest.descriptor, &manifest.bytes).map_err(local)?;
        Ok(is_new)
    }
}

impl Sink for FolderSink<'_> {
    fn put_blob<'a>(
        &'a self,
        descriptor: &'a Descriptor,
        blob: &'a dyn BlobSource,
        _origin: Option<&'a Reference>,
    ) -> Pending<'a, BlobOutcome> {
        Box::pin(async move { self.take(descriptor, blob).await })
    }

    fn put_manifest<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, ()> {
        Box::pin(async move { self.keep(manifest).map(drop) })
    }

    fn put_root<'a>(&'a self, manifest: &'a FetchedManifest) -> Pending<'a, bool> {
        Box::pin(async move { self.keep(manifest) })
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
    fn path(&self) -> Option<&Path> {
        Some(self.target())
    }

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
