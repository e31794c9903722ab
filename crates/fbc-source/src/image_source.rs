//! Images on the command line: where they are, what goes wrong with them, and catalogs and bundles within them.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fbc_image::image::{BUNDLE_PACKAGE_LABEL, CATALOG_LABEL, PlatformChoice, PlatformName};
use fbc_image::unpack::{self, unpack_into};
use fbc_image::{Image, ImageError, ImageSource, LocalReference, LocalReferenceError, Transport};
use fbc_model::image_reference::{self, ReferenceError};
use fbc_staging::StagedDirectory;

use crate::error::Error;
use crate::session::{PinnedReference, Session};

/// The forms of references that are images in files and directories.
pub const FORMS: &str = "oci:PATH[:NAME], oci-archive:FILE[:NAME] or docker-archive:FILE[:NAME]";

/// A text that does not name an image as it must be named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It begins like an image in a file or directory, and is not complete.
    #[error(transparent)]
    Local(#[from] LocalReferenceError),
    /// It is not the reference of an image.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// It is not in a file or directory.
    #[error("an image in a file or directory is {FORMS}")]
    NotLocal,
    /// It is not in a registry.
    #[error("it is not in a registry; `fbc push` brings it to one")]
    NotInRegistry,
    /// It has a digest.
    #[error("an image gets a tag here; its digest follows from its content")]
    Digest,
    /// It has no host.
    #[error("an image is HOST/REPOSITORY[:TAG][@DIGEST], docker://NAME where the host is left out, {FORMS}")]
    NoHost,
}

/// Reads a reference to an image in a file or directory, as clap wants it.
///
/// # Errors
/// [`NameError`]
pub fn parse_reference(text: &str) -> Result<LocalReference, NameError> {
    Ok(LocalReference::parse(text).ok_or(NameError::NotLocal)??)
}

/// Reads a reference to an image in a registry, as clap wants it.
///
/// # Errors
/// [`NameError`]
pub fn parse_registry_reference(text: &str) -> Result<String, NameError> {
    if LocalReference::parse(text).is_some() {
        return Err(NameError::NotInRegistry);
    }
    image_reference::parse(text.strip_prefix("docker://").unwrap_or(text))?;
    Ok(text.to_owned())
}

/// Reads the name that an image is to get, as clap wants it.
///
/// # Errors
/// [`NameError`]
pub fn parse_tag(text: &str) -> Result<String, NameError> {
    if text.contains('@') {
        return Err(NameError::Digest);
    }
    parse_registry_reference(text)
}

/// The image in a layout directory or an archive that a path names; nothing where there is no such path.
pub fn local_of_path(path: &Path) -> Result<Option<LocalReference>, Error> {
    let of = |transport| LocalReference { transport, path: path.to_path_buf(), name: None };
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(Some(of(Transport::Oci))),
        Ok(_) => {
            let layout = of(Transport::OciArchive);
            let is_layout =
                !matches!(layout.open(), Err(ImageError::Malformed { .. } | ImageError::NotAnArchive { .. }));
            Ok(Some(if is_layout { layout } else { of(Transport::DockerArchive) }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("open", path, &error)),
    }
}

/// An image, wherever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageName {
    /// In a file or directory.
    Local(LocalReference),
    /// In a registry, as the user wrote it.
    Registry(String),
}

impl fmt::Display for ImageName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(reference) => reference.fmt(out),
            Self::Registry(reference) => reference.fmt(out),
        }
    }
}

impl ImageName {
    /// Reads a name where only an image can be meant, as clap wants it.
    ///
    /// # Errors
    /// [`NameError`]
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if let Some(local) = LocalReference::parse(text) {
            return Ok(Self::Local(local?));
        }
        let reference = text.strip_prefix("docker://").unwrap_or(text);
        if reference.len() == text.len() && !has_host(text) {
            return Err(NameError::NoHost);
        }
        image_reference::parse(reference)?;
        Ok(Self::Registry(text.to_owned()))
    }

    /// Opens the image of the platform that is wished for. Of one in a registry the manifests and configurations are
    /// there, the layers are brought by [`OpenImage::bring_layers`].
    pub fn open(&self, platform: Option<&PlatformName>, session: &Session) -> Result<OpenImage, Error> {
        let within = |error: ImageError| Error::from(error).within(&self.to_string());
        let (source, origin): (Box<dyn ImageSource>, _) = match self {
            Self::Local(reference) => (reference.open().map_err(within)?, None),
            Self::Registry(text) => {
                let wish =
                    platform.map_or(PlatformChoice::Any, |platform| PlatformChoice::One(platform.clone()));
                let (origin, cached) = session.documents(text, &wish)?;
                (Box::new(cached), Some(origin))
            }
        };
        let image = Image::select(source.as_ref(), platform).map_err(within)?;
        Ok(OpenImage { image, source, origin })
    }
}

/// An image of one platform, and where its blobs are.
pub struct OpenImage {
    /// The image.
    pub image: Image,
    /// Its blobs.
    pub source: Box<dyn ImageSource>,
    origin: Option<PinnedReference>,
}

impl OpenImage {
    /// Sees to it that the source has the layers.
    pub fn bring_layers(&self, session: &Session) -> Result<(), Error> {
        self.origin.as_ref().map_or(Ok(()), |origin| session.layers(origin, &self.image))
    }
}

/// The image that a path on the command line names; `None` if it is a path, or may be one in a revision.
pub fn image_of_path(path: &Path) -> Option<Result<ImageName, Error>> {
    let text = path.to_str()?;
    // Who has a file of that name means the file.
    if path.exists() {
        return None;
    }
    if !text.starts_with("docker://") && LocalReference::parse(text).is_none() {
        return None;
    }
    let parsed = ImageName::parse(text);
    Some(parsed.map_err(|error| Error::new(format!("{}: {error}", path.display()))))
}

/// The image in a registry that a path which does not exist may name: it begins with a host, and not with a directory.
pub fn registry_image_of_path(path: &Path) -> Option<ImageName> {
    let text = path.to_str().filter(|text| has_host(text))?;
    let is_below_folder = Path::new(text.split('/').next()?).exists();
    ImageName::parse(text).ok().filter(|_| !is_below_folder)
}

/// Whether a path on the command line names an image.
pub fn is_image(path: &Path) -> bool {
    image_of_path(path).is_some() || !path.exists() && registry_image_of_path(path).is_some()
}

/// Whether a text begins with a host, as docker tells it: a name with a dot or port, or localhost.
fn has_host(text: &str) -> bool {
    let Some((host, _)) = text.split_once('/') else { return false };
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-');
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    is_name
        && !name.is_empty()
        && !name.starts_with('.')
        && port.map_or(name == "localhost" || name.contains('.'), is_port)
}

/// A catalog or bundle of an image.
pub struct Unpacked {
    /// The image.
    pub name: ImageName,
    /// Where it lies; it is gone when this is dropped.
    pub folder: StagedDirectory,
    /// How the directory is shown.
    pub shown: PathBuf,
    /// The name of an image in a registry, which a bundle bears.
    pub registry_name: Option<String>,
    /// Whether it is a catalog.
    pub is_catalog: bool,
}

/// Unpacks the catalog or bundle of an image, which its labels tell, to a temporary directory.
pub fn unpack_contents(name: &ImageName, session: &Session) -> Result<Unpacked, Error> {
    unpack_opened(name, &name.open(session.platform(), session)?, session)
}

/// As [`unpack_contents`], of an image that is open.
pub fn unpack_opened(name: &ImageName, opened: &OpenImage, session: &Session) -> Result<Unpacked, Error> {
    let image = &opened.image;
    let (below, is_catalog) = match (image.label(CATALOG_LABEL), image.label(BUNDLE_PACKAGE_LABEL)) {
        (Some(path), _) => {
            let below = within_image(path).ok_or_else(|| {
                Error::refusal(format!("{name} has its catalog at {path}, which leads out of the image"))
                    .help(format!("its label {CATALOG_LABEL} says so"))
            })?;
            (below, true)
        }
        (None, Some(_)) => (String::new(), false),
        (None, None) => {
            return Err(Error::refusal(format!("{name} is neither a catalog nor a bundle")).help(format!(
                "a catalog image has the label {CATALOG_LABEL}, a bundle image {BUNDLE_PACKAGE_LABEL}"
            )));
        }
    };
    opened.bring_layers(session)?;
    let folder = session.reading().scratch_directory()?;
    let options = unpack::Options { below: PathBuf::from(&below), ..unpack::Options::default() };
    unpack_into(image, opened.source.as_ref(), folder.path(), &options)
        .map_err(|error| Error::from(error).within(&name.to_string()))?;
    if folder.path().read_dir().map_err(|error| Error::io("read", folder.path(), &error))?.next().is_none() {
        return Err(Error::refusal(format!("{name} holds nothing at /{below}"))
            .help(format!("its label {CATALOG_LABEL} says that the catalog is there")));
    }
    let shown = Path::new(&name.to_string()).join(&below);
    let registry_name = match name {
        ImageName::Local(_) => None,
        ImageName::Registry(text) => Some(text.strip_prefix("docker://").unwrap_or(text).to_owned()),
    };
    Ok(Unpacked { name: name.clone(), folder, shown, registry_name, is_catalog })
}

/// A path of a label, from the root of the image: without `.`, `..` and empty parts; nothing if it leads out.
fn within_image(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl From<ImageError> for Error {
    fn from(error: ImageError) -> Self {
        if let ImageError::Io { verb, path, source } = &error {
            return Self::io(verb, path, source);
        }
        let made =
            if error.is_refusal() { Self::refusal(error.to_string()) } else { Self::new(error.to_string()) };
        let made = match &error {
            ImageError::WrongDigest { .. } | ImageError::WrongSize { .. } | ImageError::MissingBlob { .. } => {
                made.help("the image is damaged or was tampered with; get it once more from where it came")
            }
            ImageError::Limit { .. } => {
                made.help("if the image is to be trusted, `fbc unpack` takes other limits (--max-bytes, --max-entries, --max-ratio)")
            }
            ImageError::Entry { .. } | ImageError::Layer { .. } => {
                made.help("nothing was unpacked; whoever built the image must fix it")
            }
            ImageError::SeveralImages { .. } | ImageError::NoImage { .. } => {
                made.help("name one of them behind the path, as in oci:PATH:NAME")
            }
            ImageError::SeveralPlatforms { .. } => {
                made.help("name one by --platform, or write an oci: or oci-archive: target, which takes them all")
            }
            ImageError::NoPlatform { .. } => made.help("name one of them by --platform"),
            ImageError::Dynamic { .. } => made.help(
                "name one that is linked statically with --serve-binary, as releases have them for musl, or with --base an \
                 image that has its libraries",
            ),
            ImageError::Target { .. } => made.help("name another target"),
            ImageError::NotALayout(_) => {
                made.help("an OCI layout is a directory with the files oci-layout and index.json, as `fbc build --to oci:PATH` writes it")
            }
            ImageError::NotAnArchive { .. } => {
                made.help("name an archive, as `fbc build --to oci-archive:FILE` writes it")
            }
            _ => made,
        };
        made.because(error)
    }
}

#[cfg(test)]
mod tests {
    use super::within_image;

    #[test]
    fn paths_of_labels() {
        for (path, within) in [
            ("/configs", Some("configs")),
            ("/x/../configs/", Some("configs")),
            ("./a//b", Some("a/b")),
            ("a/../../a", None),
            ("../..", None),
            ("", Some("")),
        ] {
            assert_eq!(within_image(path).as_deref(), within);
        }
    }
}
