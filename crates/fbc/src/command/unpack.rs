//! `fbc unpack`: the files of an image.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_image::image::PlatformName;
use fbc_image::unpack::{Limits, Options, unpack};
use fbc_source::image_source::ImageName;
use fbc_staging::{Root, parent_of};

use crate::failure::{CLEAN, Failure};
use crate::registry::{Named, RegistryArguments};
use crate::settings::Settings;

/// Unpack an image into a directory
///
/// Digests are checked, whiteouts take away what lower layers had. An image with a path, link or device that
/// has no place below the directory is refused, and so is one that is larger than the limits; then nothing is
/// written. Owners and special permission bits are dropped.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The image: HOST/REPOSITORY[:TAG][@DIGEST], or oci:PATH[:NAME], oci-archive:FILE[:NAME],
    /// docker-archive:FILE[:NAME]
    #[arg(value_name = "IMAGE", value_parser = ImageName::parse)]
    image: ImageName,
    /// The directory, which must be empty or absent
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// The platform, such as linux/arm64 [default: linux/amd64, else the first]
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<PlatformName>,
    /// Only what is in this directory of the image, such as /configs
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Refuse an image that unpacks to more bytes
    #[arg(long, value_name = "N", default_value_t = Limits::default().bytes)]
    max_bytes: u64,
    /// Refuse an image with more files, directories and links
    #[arg(long, value_name = "N", default_value_t = Limits::default().entries)]
    max_entries: u64,
    /// Refuse a layer that unpacks to more than this many times its size, if that is over 64 MiB
    #[arg(long, value_name = "N", default_value_t = Limits::default().ratio)]
    max_ratio: u64,
    #[command(flatten)]
    registry: RegistryArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.registry.session(Named::images([arguments.image.clone()]), settings);
    let within = |error| Failure::from(error).within(&arguments.image.to_string());
    let opened = arguments.image.open(arguments.platform.as_ref(), &session)?;
    opened.bring_layers(&session)?;
    let image = &opened.image;
    let limits =
        Limits { bytes: arguments.max_bytes, entries: arguments.max_entries, ratio: arguments.max_ratio };
    let options = Options { below: arguments.path.clone().unwrap_or_default(), limits };
    let was_there = arguments.folder.exists();
    let mislabeled = unpack(image, opened.source.as_ref(), &arguments.folder, &options).map_err(within)?;
    for layer in mislabeled.iter().filter(|_| !settings.quiet) {
        Failure::new(layer.to_string()).warn();
    }
    let is_empty = arguments.folder.read_dir().is_ok_and(|mut entries| entries.next().is_none());
    if is_empty && arguments.path.is_some() {
        let path = options.below.display();
        if !was_there {
            // Nobody wants an empty directory; that it cannot be removed changes nothing.
            let folder = &arguments.folder;
            let name = folder.file_name().map(Path::new).unwrap_or(folder);
            let _ = Root::open(parent_of(folder)).and_then(|root| root.remove_directory(name));
        }
        return Err(Failure::refusal(format!("{} holds nothing at {path}", arguments.image))
            .help("unpack it without --path to see what it holds"));
    }
    if settings.verbose {
        let place = arguments.folder.display();
        let (digest, platform) = (image.descriptor.digest(), image.platform());
        crate::terminal::tell(format_args!("unpacked {digest} for {platform} to {place}"));
    }
    Ok(CLEAN)
}
