//! What goes wrong with images.

use std::io;
use std::path::{Path, PathBuf};

use oci_spec::image::Digest;

use crate::unpack::PassedLimit;

/// What went wrong with an image: its content is refused, or the system does not play along.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// A file or directory that the system does not give or take.
    #[error("cannot {verb} {}: {source}", path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A program that cannot run in an image without a base.
    #[error(
        "{} is linked dynamically: it needs {interpreter} and libraries, and an image without a base has none",
        path.display()
    )]
    Dynamic {
        /// The program.
        path: PathBuf,
        /// The program that loads it.
        interpreter: String,
    },
    /// A blob that cannot be read to its end.
    #[error("cannot read the blob {digest}: {source}")]
    Blob {
        /// The blob.
        digest: Digest,
        /// Why it failed.
        source: io::Error,
    },
    /// A blob that is not there.
    #[error("the blob {digest} is missing in {place}")]
    MissingBlob {
        /// The blob.
        digest: Digest,
        /// Where it should be.
        place: String,
    },
    /// Content that is not what its digest says.
    #[error("the digest of {what} is {found}, not {expected}")]
    WrongDigest {
        /// A blob, or the uncompressed form of a layer.
        what: &'static str,
        /// The digest that is promised.
        expected: Digest,
        /// The digest of the content.
        found: Digest,
    },
    /// Content that is shorter or longer than its descriptor says.
    #[error("the blob {digest} has {found} bytes, not {expected}")]
    WrongSize {
        /// The blob.
        digest: Digest,
        /// The bytes that are promised.
        expected: u64,
        /// The bytes that there are; where there are more, one more than promised.
        found: u64,
    },
    /// A digest of an algorithm that is not known.
    #[error("the digest {0} is neither sha256 nor sha512")]
    UnknownDigest(Digest),
    /// A directory of other files.
    #[error("{0}: is not an OCI layout: it has no file oci-layout")]
    NotALayout(String),
    /// A file that is not an archive, or only half of one.
    #[error("{place}: is not a tar archive: {source}")]
    NotAnArchive {
        /// The file.
        place: String,
        /// Where it is wrong.
        source: io::Error,
    },
    /// A document that is not a manifest, index, configuration or layout.
    #[error("{what}: {reason}")]
    Malformed {
        /// The document.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An entry of a layer that is refused.
    #[error("layer {layer}: {entry:?}: {fault}")]
    Entry {
        /// The digest of the layer.
        layer: Digest,
        /// The path as the layer has it.
        entry: String,
        /// Why it is refused.
        fault: EntryFault,
    },
    /// A layer that is not a tar archive, or whose compression is broken.
    #[error("layer {layer}: {reason}")]
    Layer {
        /// The digest of the layer.
        layer: Digest,
        /// What is wrong with it.
        reason: String,
    },
    /// An image that is larger than permitted.
    #[error("layer {layer}: {limit}")]
    Limit {
        /// The digest of the layer.
        layer: Digest,
        /// Which limit, with its value.
        limit: PassedLimit,
    },
    /// No image of that name.
    #[error("{place} holds no image{}", wanted(.name.as_deref(), known))]
    NoImage {
        /// The layout or archive.
        place: String,
        /// The name that was asked for.
        name: Option<String>,
        /// The names that there are, sorted.
        known: Vec<String>,
    },
    /// Several images, and none was asked for.
    #[error("{place} holds several images: {}", known.join(", "))]
    SeveralImages {
        /// The layout or archive.
        place: String,
        /// Their names, sorted.
        known: Vec<String>,
    },
    /// No image for a platform.
    #[error("there is no image for {wanted}; there are {}", known.join(", "))]
    NoPlatform {
        /// The platform.
        wanted: String,
        /// The platforms that there are.
        known: Vec<String>,
    },
    /// Something that only an image of one platform can be.
    #[error("the image has several platforms: {}", known.join(", "))]
    SeveralPlatforms {
        /// The platforms that there are.
        known: Vec<String>,
    },
    /// A file or directory that cannot become part of an image.
    #[error("{}: {reason}", path.display())]
    Content {
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The target is there already and must not be.
    #[error("{} {reason}", path.display())]
    Target {
        /// The target.
        path: PathBuf,
        /// What is in the way.
        reason: &'static str,
    },
}

/// Why an entry of a layer is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// A path that is longer than systems take.
    #[error("its path has more than {} bytes", crate::limits::PATH_BYTES)]
    LongPath,
    /// A path with `..`.
    #[error("the path leads out of the image")]
    PathEscapes,
    /// A symbolic link that leads out.
    #[error("the symbolic link to {0:?} leads out of what is unpacked")]
    LinkEscapes(String),
    /// A hard link to something that is not there, or no file.
    #[error("the hard link to {0:?} names no file that is unpacked")]
    HardLink(String),
    /// A device, pipe or the like.
    #[error("it is a {0}; only files, directories and links are unpacked")]
    Kind(&'static str),
    /// A sparse file that cannot be read.
    #[error("it is a sparse file whose map of parts is broken or of no known format")]
    Sparse,
    /// A path through something that is not a directory.
    #[error("its directory {0:?} is not a directory")]
    NoFolder(String),
    /// Links that lead to each other without end.
    #[error("its directory is a symbolic link that leads nowhere")]
    LinkLoop,
    /// Anything else about the header.
    #[error("{0}")]
    Header(String),
}

fn wanted(name: Option<&str>, known: &[String]) -> String {
    let name = name.map(|name| format!(" named {name:?}")).unwrap_or_default();
    match known {
        [] => name,
        known => format!("{name}; there are {}", known.join(", ")),
    }
}

impl ImageError {
    /// The error of a file or directory, for `map_err`.
    pub fn io(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { verb, path, source }
    }

    /// A document that is not as it must be.
    pub(crate) fn malformed(what: impl Into<String>, reason: impl ToString) -> Self {
        Self::Malformed { what: what.into(), reason: reason.to_string() }
    }

    /// Whether the input is refused, rather than that the system fails.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::WrongDigest { .. }
            | Self::WrongSize { .. }
            | Self::UnknownDigest(_)
            | Self::NotALayout(_)
            | Self::NotAnArchive { .. }
            | Self::Malformed { .. }
            | Self::Entry { .. }
            | Self::Layer { .. }
            | Self::MissingBlob { .. }
            | Self::Content { .. } => true,
            Self::Blob { source, .. } => {
                matches!(source.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
            }
            Self::Io { .. }
            | Self::Dynamic { .. }
            | Self::NoImage { .. }
            | Self::SeveralImages { .. }
            | Self::NoPlatform { .. }
            | Self::SeveralPlatforms { .. }
            | Self::Limit { .. }
            | Self::Target { .. } => false,
        }
    }
}
