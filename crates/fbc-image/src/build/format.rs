//! The two formats of images: the same documents under other media types.
//!
//! Sources: `opencontainers/image-spec:media-types.md`; `distribution/distribution:docs/content/spec/manifest-v2-2.md`.

use oci_spec::image::{Descriptor, MediaType};

use crate::error::ImageError;
use crate::image::Image;
use crate::layer::{Compression, compression_of};

/// Whose media types an image has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// OCI's.
    #[default]
    Oci,
    /// Docker's schema 2, for registries and programs that take no other. It has neither annotations nor layers of zstd.
    Docker,
}

impl Format {
    /// The format of an image.
    #[must_use]
    pub fn of(image: &Image) -> Self {
        match image.descriptor.media_type() {
            MediaType::Other(_) => Self::Docker,
            _ => Self::Oci,
        }
    }

    pub(super) fn has_annotations(self) -> bool {
        self == Self::Oci
    }

    pub(super) fn manifest(self) -> MediaType {
        match self {
            Self::Oci => MediaType::ImageManifest,
            Self::Docker => docker("distribution.manifest.v2+json"),
        }
    }

    pub(super) fn index(self) -> MediaType {
        match self {
            Self::Oci => MediaType::ImageIndex,
            Self::Docker => docker("distribution.manifest.list.v2+json"),
        }
    }

    pub(super) fn configuration(self) -> MediaType {
        match self {
            Self::Oci => MediaType::ImageConfig,
            Self::Docker => docker("container.image.v1+json"),
        }
    }

    /// A layer under the name that the format has for its content.
    ///
    /// # Errors
    /// If it is not a layer, or the format has no such layers.
    pub(super) fn layer(self, layer: &Descriptor) -> Result<Descriptor, ImageError> {
        let malformed = |reason: String| ImageError::malformed(layer.digest().to_string(), reason);
        let compression = compression_of(layer.media_type())
            .ok_or_else(|| malformed(format!("is of type {}, which is not a layer", layer.media_type())))?;
        let media_type = match (self, compression) {
            (Self::Oci, None) => MediaType::ImageLayer,
            (Self::Oci, Some(compression)) => compression.media_type(),
            (Self::Docker, None) => docker("image.rootfs.diff.tar"),
            (Self::Docker, Some(Compression::Gzip)) => docker("image.rootfs.diff.tar.gzip"),
            (Self::Docker, Some(Compression::Zstd)) => {
                return Err(malformed(
                    "is a layer of zstd, and Docker's format has none; build for OCI's, or with gzip"
                        .to_owned(),
                ));
            }
        };
        Ok(Descriptor::new(media_type, layer.size(), layer.digest().clone()))
    }
}

fn docker(name: &str) -> MediaType {
    MediaType::Other(format!("application/vnd.docker.{name}"))
}
