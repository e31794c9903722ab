//! Sources that are put together: lists of what refers to an image, one of their manifests, and attached artifacts of two
//! places.

use fbc_image::layout::LayoutFolder;
use fbc_registry::attached::index_of;
use fbc_registry::copy::RegistryImage;
use fbc_registry::{
    BlobSource, Client, FetchedManifest, LocalImage, Pending, Reference, RegistryError,
    Result as RegistryResult, Source,
};
use fbc_source::signatures::SignatureImage;
use oci_spec::image::{Descriptor, Digest};

use super::copy_error::CopyError;

/// The list of what refers to an image, as an index.
pub(super) struct Referrers {
    index: FetchedManifest,
    image: RegistryImage,
}

impl Referrers {
    pub(super) fn new(
        client: &Client,
        source: &Reference,
        subject: &Digest,
        mut referrers: Vec<Descriptor>,
    ) -> Result<Self, CopyError> {
        referrers.sort_by_key(|one| one.digest().to_string());
        let index = index_of(referrers)
            .map_err(|problem| RegistryError::new("list what refers to", subject.to_string(), problem))?;
        let image = RegistryImage::unguarded(client, &source.with_digest(subject.clone()));
        Ok(Self { index, image })
    }
}

impl Source for Referrers {
    fn root(&self) -> Pending<'_, FetchedManifest> {
        Box::pin(async move { Ok(self.index.clone()) })
    }

    fn manifest<'a>(&'a self, descriptor: &'a Descriptor) -> Pending<'a, FetchedManifest> {
        Box::pin(async move { self.image.manifest(descriptor).await })
    }

    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        self.image.blob(descriptor)
    }

    fn repository(&self) -> Option<&Reference> {
        self.image.repository()
    }
}

/// One manifest of a list.
pub(super) struct OneOf<'l> {
    pub(super) list: &'l dyn Source,
    pub(super) referrer: &'l Descriptor,
}

impl Source for OneOf<'_> {
    fn root(&self) -> Pending<'_, FetchedManifest> {
        Box::pin(async move { self.list.manifest(self.referrer).await })
    }

    fn manifest<'a>(&'a self, descriptor: &'a Descriptor) -> Pending<'a, FetchedManifest> {
        Box::pin(async move { self.list.manifest(descriptor).await })
    }

    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        self.list.blob(descriptor)
    }

    fn repository(&self) -> Option<&Reference> {
        self.list.repository()
    }
}

/// What the destination has under a place already.
pub(super) enum There {
    Registry(RegistryImage),
    Folder(Box<LayoutFolder>, String),
}

impl There {
    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        match self {
            Self::Registry(image) => image.blob(descriptor),
            Self::Folder(layout, shown) => {
                LocalImage { source: &**layout, shown: shown.clone() }.blob(descriptor)
            }
        }
    }
}

/// The signatures or attestations of a source with those of the destination behind them.
pub(super) struct Joined<'s> {
    pub(super) source: &'s dyn Source,
    pub(super) there: There,
    pub(super) image: SignatureImage,
}

impl Source for Joined<'_> {
    fn root(&self) -> Pending<'_, FetchedManifest> {
        Box::pin(async move { Ok(self.image.manifest.clone()) })
    }

    fn manifest<'a>(&'a self, descriptor: &'a Descriptor) -> Pending<'a, FetchedManifest> {
        Box::pin(async move { self.source.manifest(descriptor).await })
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
