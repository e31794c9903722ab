//! Images: where they come from, their manifests, platforms and labels.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;

use oci_spec::image::{
    Descriptor, Digest, ImageConfiguration, ImageIndex, ImageManifest, MediaType, Platform,
};
use serde_json::Value;

use crate::blob::{VerifyingReader, read_error};
use crate::error::ImageError;
use crate::limits::DOCUMENT_BYTES;

/// The label of catalog images: the directory of the catalog.
pub const CATALOG_LABEL: &str = "operators.operatorframework.io.index.configs.v1";
/// The label of bundle images that names the package; it alone makes an image a bundle for opm.
pub const BUNDLE_PACKAGE_LABEL: &str = "operators.operatorframework.io.bundle.package.v1";
/// The label of bundle images: the directory of the manifests.
pub const BUNDLE_LABEL: &str = "operators.operatorframework.io.bundle.manifests.v1";

/// Indexes within indexes, at most.
const MAX_DEPTH: usize = 4;
/// Images in an index, at most.
const MAX_IMAGES: usize = 1_000;

/// Something that holds one image, of one or several platforms.
pub trait ImageSource: Sync {
    /// The manifest or index where the image begins.
    fn root(&self) -> &Descriptor;

    /// The bytes of a blob. Whoever reads them checks them against the descriptor.
    ///
    /// # Errors
    /// If it is not there or cannot be read.
    fn open(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + '_>, ImageError>;

    /// Where a blob lies on disk: a file, and how many bytes of it come before the blob. `None` for what is in memory.
    ///
    /// # Errors
    /// If it is not there.
    fn place(&self, _descriptor: &Descriptor) -> Result<Option<(PathBuf, u64)>, ImageError> {
        Ok(None)
    }
}

/// Opens a blob; reading fails unless it is what the descriptor says.
pub(crate) fn open_verified<'s>(
    source: &'s dyn ImageSource,
    descriptor: &Descriptor,
) -> Result<VerifyingReader<Box<dyn Read + 's>>, ImageError> {
    VerifyingReader::new(source.open(descriptor)?, descriptor)
}

/// The bytes of a small document.
pub fn document(source: &dyn ImageSource, descriptor: &Descriptor) -> Result<Vec<u8>, ImageError> {
    if descriptor.size() > DOCUMENT_BYTES {
        let reason = format!("has {} bytes; {DOCUMENT_BYTES} are permitted", descriptor.size());
        return Err(ImageError::malformed(descriptor.digest().to_string(), reason));
    }
    let mut bytes = Vec::new();
    let read = open_verified(source, descriptor)?.read_to_end(&mut bytes);
    read.map_err(read_error(descriptor.digest()))?;
    Ok(bytes)
}

/// Which images of an index are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlatformChoice {
    /// All, with the index.
    All,
    /// The one of a platform.
    One(PlatformName),
    /// The one for linux/amd64, else the first: catalogs and bundles hold the same on all platforms.
    Any,
}

/// An operating system and an architecture, such as `linux/arm64` or `linux/arm/v7`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlatformName {
    /// The operating system, as Go names it.
    pub os: String,
    /// The architecture, as Go names it.
    pub architecture: String,
    /// The variant of the architecture.
    pub variant: Option<String>,
}

impl PlatformName {
    /// A platform of Linux.
    #[must_use]
    pub fn linux(architecture: &str) -> Self {
        Self { os: "linux".to_owned(), architecture: architecture.to_owned(), variant: None }
    }

    /// The same as the specification of images writes it.
    #[must_use]
    pub fn platform(&self) -> Platform {
        let mut platform = Platform::default();
        platform.set_os(self.os.as_str().into());
        platform.set_architecture(self.architecture.as_str().into());
        platform.set_variant(self.variant.clone());
        platform
    }

    /// Whether an image for `other` is what was asked for: a variant counts only where one is named.
    #[must_use]
    pub fn accepts(&self, other: &Self) -> bool {
        self.os == other.os
            && self.architecture == other.architecture
            && (self.variant.is_none() || self.variant == other.variant)
    }
}

impl fmt::Display for PlatformName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.os, self.architecture)?;
        self.variant.iter().try_for_each(|variant| write!(out, "/{variant}"))
    }
}

/// A text that is not a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// A part is not a word.
    #[error("a platform is OS/ARCHITECTURE[/VARIANT]")]
    Part,
    /// There are not two or three parts.
    #[error("a platform is OS/ARCHITECTURE[/VARIANT], such as linux/arm64")]
    Count,
}

impl FromStr for PlatformName {
    type Err = PlatformError;

    fn from_str(text: &str) -> Result<Self, PlatformError> {
        let parts: Vec<&str> = text.split('/').collect();
        let is_word = |part: &&str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        let (os, architecture, variant) = match parts.as_slice() {
            parts if !parts.iter().all(is_word) => {
                return Err(PlatformError::Part);
            }
            [os, architecture] => (*os, *architecture, None),
            [os, architecture, variant] => (*os, *architecture, Some(*variant)),
            _ => return Err(PlatformError::Count),
        };
        // The names that `uname` and people use, as docker takes them.
        let (architecture, variant) = match (architecture, variant) {
            ("x86_64" | "x86-64", variant) => ("amd64", variant),
            ("aarch64", variant) => ("arm64", variant),
            other => other,
        };
        // There is no other; images leave it out or not.
        let variant = variant.filter(|variant| (architecture, *variant) != ("arm64", "v8"));
        Ok(Self {
            os: os.to_owned(),
            architecture: architecture.to_owned(),
            variant: variant.map(ToOwned::to_owned),
        })
    }
}

/// An image of one platform.
#[derive(Clone, Debug)]
pub struct Image {
    /// The manifest's digest and size.
    pub descriptor: Descriptor,
    /// The manifest.
    pub manifest: ImageManifest,
    /// The configuration.
    pub configuration: ImageConfiguration,
    /// The configuration with all fields, also those that the specification does not know.
    pub raw_configuration: Value,
}

impl Image {
    /// All images of a source, in the order of its index. What an index holds beside images, such as attestations,
    /// is left out.
    ///
    /// # Errors
    /// If a document is missing, broken, or not of an image.
    pub fn all(source: &dyn ImageSource) -> Result<Vec<Self>, ImageError> {
        let mut images = Vec::new();
        collect(source, source.root(), 0, &mut images)?;
        if images.is_empty() {
            return Err(ImageError::malformed(
                source.root().digest().to_string(),
                "the index names no image",
            ));
        }
        Ok(images)
    }

    /// The image for a platform. Where none is named it is the one for linux/amd64, else the first: catalogs and bundles
    /// hold the same on all platforms.
    ///
    /// # Errors
    /// As [`Image::all`], and if there is none for the platform.
    pub fn select(source: &dyn ImageSource, wanted: Option<&PlatformName>) -> Result<Self, ImageError> {
        let mut images = Self::all(source)?;
        let known: Vec<String> = images.iter().map(|image| image.platform().to_string()).collect();
        let at = |wanted: &PlatformName| images.iter().position(|image| wanted.accepts(&image.platform()));
        let index = match wanted {
            None => at(&PlatformName::linux("amd64")).unwrap_or(0),
            Some(wanted) => {
                at(wanted).ok_or_else(|| ImageError::NoPlatform { wanted: wanted.to_string(), known })?
            }
        };
        Ok(images.swap_remove(index))
    }

    /// The platform, as the configuration names it.
    #[must_use]
    pub fn platform(&self) -> PlatformName {
        let text = |key: &str| self.raw_configuration.get(key).and_then(Value::as_str).unwrap_or_default();
        PlatformName {
            os: text("os").to_owned(),
            architecture: text("architecture").to_owned(),
            variant: Some(text("variant"))
                .filter(|variant| !variant.is_empty() && (text("architecture"), *variant) != ("arm64", "v8"))
                .map(ToOwned::to_owned),
        }
    }

    /// Whether a container of it has something to run: an entrypoint or a command.
    #[must_use]
    pub fn runs_something(&self) -> bool {
        let words =
            |key: &str| self.raw_configuration.pointer(&format!("/config/{key}")).and_then(Value::as_array);
        ["Entrypoint", "Cmd"].iter().any(|key| words(key).is_some_and(|words| !words.is_empty()))
    }

    /// A label.
    #[must_use]
    pub fn label(&self, key: &str) -> Option<&str> {
        self.configuration.labels_of_config()?.get(key).map(String::as_str)
    }

    /// All labels, by key.
    #[must_use]
    pub fn labels(&self) -> BTreeMap<&str, &str> {
        let labels = self.configuration.labels_of_config().into_iter().flatten();
        labels.map(|(key, value)| (key.as_str(), value.as_str())).collect()
    }

    /// The layers from the lowest, each with the digest of its archive.
    ///
    /// # Errors
    /// If the configuration names another number of layers than the manifest.
    pub fn layers(&self) -> Result<Vec<(&Descriptor, Digest)>, ImageError> {
        let layers = self.manifest.layers();
        let diff_ids = self.configuration.rootfs().diff_ids();
        let malformed = |reason: String| ImageError::malformed(self.descriptor.digest().to_string(), reason);
        if layers.len() != diff_ids.len() {
            let (layers, diff_ids) = (layers.len(), diff_ids.len());
            return Err(malformed(format!("the manifest has {layers} layers, its configuration {diff_ids}")));
        }
        let pairs = layers.iter().zip(diff_ids).map(|(layer, text)| {
            let diff_id = text.parse().map_err(|_| malformed(format!("{text:?} is not a digest")))?;
            Ok((layer, diff_id))
        });
        pairs.collect()
    }
}

fn collect(
    source: &dyn ImageSource,
    descriptor: &Descriptor,
    depth: usize,
    images: &mut Vec<Image>,
) -> Result<(), ImageError> {
    let malformed = |reason: String| Err(ImageError::malformed(descriptor.digest().to_string(), reason));
    match kind_of(descriptor.media_type()) {
        Some(DocumentKind::Manifest) => {
            images.push(image(source, descriptor)?);
            if images.len() > MAX_IMAGES {
                return malformed(format!("the index names more than {MAX_IMAGES} images"));
            }
            Ok(())
        }
        Some(DocumentKind::Index) if depth < MAX_DEPTH => {
            let bytes = document(source, descriptor)?;
            let index: ImageIndex = parse(descriptor.digest(), "no index of images", &bytes)?;
            for entry in index.manifests().iter().filter(|entry| is_image(entry)) {
                collect(source, entry, depth + 1, images)?;
            }
            Ok(())
        }
        Some(DocumentKind::Index) => malformed("indexes lie within indexes too deeply".to_owned()),
        None => malformed(format!(
            "is of type {}, neither an image nor an index of images",
            descriptor.media_type()
        )),
    }
}

enum DocumentKind {
    Manifest,
    Index,
}

fn kind_of(media_type: &MediaType) -> Option<DocumentKind> {
    match media_type {
        MediaType::ImageManifest => Some(DocumentKind::Manifest),
        MediaType::ImageIndex => Some(DocumentKind::Index),
        MediaType::Other(name) => match name.as_str() {
            "application/vnd.docker.distribution.manifest.v2+json" => Some(DocumentKind::Manifest),
            "application/vnd.docker.distribution.manifest.list.v2+json" => Some(DocumentKind::Index),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an entry of an index is an image. Build tools put attestations beside images, for no platform.
pub fn is_image(entry: &Descriptor) -> bool {
    let is_unknown = entry.platform().as_ref().is_some_and(|platform| platform.os().to_string() == "unknown");
    !is_unknown && kind_of(entry.media_type()).is_some() && entry.artifact_type().is_none()
}

fn image(source: &dyn ImageSource, descriptor: &Descriptor) -> Result<Image, ImageError> {
    let bytes = document(source, descriptor)?;
    let manifest: ImageManifest = parse(descriptor.digest(), "no manifest of an image", &bytes)?;
    let config = manifest.config();
    let is_configuration = match config.media_type() {
        MediaType::ImageConfig => true,
        other => other.to_string() == "application/vnd.docker.container.image.v1+json",
    };
    if !is_configuration {
        let reason = format!("is an artifact with a {}, not an image", config.media_type());
        return Err(ImageError::malformed(descriptor.digest().to_string(), reason));
    }
    let bytes = document(source, config)?;
    let what = "no configuration of an image";
    let configuration = parse(config.digest(), what, &bytes)?;
    let raw_configuration = parse(config.digest(), what, &bytes)?;
    Ok(Image { descriptor: descriptor.clone(), manifest, configuration, raw_configuration })
}

fn parse<T: serde::de::DeserializeOwned>(digest: &Digest, what: &str, bytes: &[u8]) -> Result<T, ImageError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ImageError::malformed(digest.to_string(), format!("is {what}: {error}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn platforms() {
        for (text, shown) in [
            ("linux/amd64", "linux/amd64"),
            ("linux/x86_64", "linux/amd64"),
            ("linux/aarch64/v8", "linux/arm64"),
            ("linux/arm/v7", "linux/arm/v7"),
        ] {
            assert_eq!(text.parse::<PlatformName>().unwrap().to_string(), shown);
        }
        for text in ["", "linux", "linux/", "/amd64", "linux/arm/v7/x", "linux/am d64"] {
            assert!(text.parse::<PlatformName>().is_err(), "{text}");
        }
        let [any, seven]: [PlatformName; 2] = ["linux/arm", "linux/arm/v7"].map(|text| text.parse().unwrap());
        assert!(any.accepts(&seven));
        assert!(!seven.accepts(&any));
    }
}
