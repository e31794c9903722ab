//! Images on the command line: references by transport, what goes wrong with them, and catalogs within them.

use std::io;
use std::path::{Path, PathBuf};

use fbc_image::image::{BUNDLE_LABEL, CATALOG_LABEL};
use fbc_image::unpack::{self, unpack_into};
use fbc_image::{Image, ImageError, LocalReference};
use tempfile::TempDir;

use crate::failure::Failure;

/// The forms of references that are images in files and folders.
pub(crate) const FORMS: &str = "oci:PATH[:NAME], oci-archive:FILE[:NAME] or docker-archive:FILE[:NAME]";

/// Reads a reference, as clap wants it.
pub(crate) fn parse_reference(text: &str) -> Result<LocalReference, String> {
    LocalReference::parse(text).unwrap_or_else(|| Err(format!("an image in a file or folder is {FORMS}")))
}

/// The image that a path on the command line names; `None` if it is a path.
pub(crate) fn image_of_path(path: &Path) -> Option<Result<LocalReference, Failure>> {
    let parsed = LocalReference::parse(path.to_str()?)?;
    // Who has a file of that name means the file.
    if path.exists() {
        return None;
    }
    Some(parsed.map_err(|error| Failure::new(format!("{}: {error}", path.display()))))
}

/// A catalog or bundle of an image.
pub(crate) struct Unpacked {
    /// Where it lies; it is gone when this is dropped.
    pub(crate) folder: TempDir,
    /// How the folder is shown.
    pub(crate) shown: PathBuf,
}

/// Unpacks the catalog or bundle of an image, which its labels tell, to a temporary folder.
pub(crate) fn unpack_contents(reference: &LocalReference) -> Result<Unpacked, Failure> {
    let within = |error: ImageError| Failure::from(error).within(&reference.to_string());
    let source = reference.open().map_err(within)?;
    let image = Image::select(source.as_ref(), None).map_err(within)?;
    let below = match (image.label(CATALOG_LABEL), image.label(BUNDLE_LABEL)) {
        (Some(folder), _) => folder.trim_matches('/'),
        (None, Some(_)) => "",
        (None, None) => {
            return Err(Failure::refusal(format!("{reference} is neither a catalog nor a bundle")).help(
                format!("a catalog image has the label {CATALOG_LABEL}, a bundle image {BUNDLE_LABEL}"),
            ));
        }
    };
    let failed = |error: io::Error| Failure::io("write to", &std::env::temp_dir(), &error);
    let folder = tempfile::Builder::new().prefix("fbc-").tempdir().map_err(failed)?;
    let options = unpack::Options { below: PathBuf::from(below), ..unpack::Options::default() };
    unpack_into(&image, source.as_ref(), folder.path(), &options).map_err(within)?;
    if folder.path().read_dir().map_err(failed)?.next().is_none() {
        return Err(Failure::refusal(format!("{reference} holds nothing at /{below}"))
            .help(format!("its label {CATALOG_LABEL} says that the catalog is there")));
    }
    let shown = Path::new(&reference.to_string()).join(below);
    Ok(Unpacked { folder, shown })
}

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Self {
        if let ImageError::Io { verb, path, source } = &error {
            return Self::io(verb, path, source);
        }
        let failure =
            if error.is_refusal() { Self::refusal(error.to_string()) } else { Self::new(error.to_string()) };
        match error {
            ImageError::WrongDigest { .. } | ImageError::WrongSize { .. } | ImageError::MissingBlob { .. } => {
                failure.help("the image is damaged or was tampered with; get it once more from where it came")
            }
            ImageError::Limit { .. } => {
                failure.help("if the image is to be trusted, `fbc unpack` takes other limits (--max-bytes, --max-entries, --max-ratio)")
            }
            ImageError::Entry { .. } | ImageError::Layer { .. } => {
                failure.help("nothing was unpacked; whoever built the image must mend it")
            }
            ImageError::SeveralImages { .. } | ImageError::NoImage { .. } => {
                failure.help("name one of them behind the path, as in oci:PATH:NAME")
            }
            ImageError::SeveralPlatforms { .. } => {
                failure.help("name one by --platform, or write an oci: or oci-archive: target, which takes them all")
            }
            ImageError::NoPlatform { .. } => failure.help("name one of them by --platform"),
            ImageError::Target { .. } => failure.help("name another target"),
            _ => failure,
        }
    }
}
