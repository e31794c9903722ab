//! `fbc push`: an image from a layout or archive, or from another registry, into a registry.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::push::{destinations, push};
use fbc_image::LocalReference;
use fbc_image::image::PlatformName;
use fbc_registry::LocalImage;
use fbc_registry::copy::RegistryImage;
use fbc_source::image_source::{ImageName, local_of_path, parse_tag};

use crate::failure::{CLEAN, Failure};
use crate::output::file::write_digest;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::settings::Settings;

/// Push an image to a registry
///
/// What the registry has is not sent again, and a blob of another of its repositories is mounted.
/// The manifest comes last, so that a tag never names half an image. An index goes with all its platforms. The digest
/// is written to standard output.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The image: a layout directory or an archive, also as oci:PATH[:NAME], oci-archive:FILE[:NAME] or
    /// docker-archive:FILE[:NAME]; or an image of a registry
    #[arg(value_name = "SOURCE", value_hint = ValueHint::AnyPath)]
    source: String,
    /// The destination, such as quay.io/me/catalog:v4.19; can be repeated
    #[arg(short, long, value_name = "REF", required = true, value_parser = parse_tag)]
    tag: Vec<String>,
    /// Only the image for this platform
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<PlatformName>,
    /// Write the digest to a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    digest_file: Option<PathBuf>,
    #[command(flatten)]
    transfer: TransferArguments,
    #[command(flatten)]
    logins: CopyLogins,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let destinations = destinations(&arguments.tag)?;
    let source = source(&arguments.source)?;
    let named = Named::images([source.clone()]).and_destinations(&arguments.tag);
    let session = arguments.transfer.session(named, &arguments.logins, settings);
    let session = session.open()?;
    let platform = arguments.platform.as_ref();
    let report = match source {
        ImageName::Local(reference) => {
            let within = |error| Failure::from(error).within(&reference.to_string());
            let source = reference.open().map_err(within)?;
            let shown = reference.to_string();
            let image = LocalImage { source: source.as_ref(), shown };
            push(&image, None, &destinations, platform, settings, session)?
        }
        ImageName::Registry(text) => {
            let reference = session.reference(&text)?;
            let image = RegistryImage::new(session.client(), &reference);
            push(&image, Some(reference), &destinations, platform, settings, session)?
        }
    };
    write_digest(arguments.digest_file.as_deref(), report.root.digest().as_ref(), settings)?;
    Ok(CLEAN)
}

/// What is pushed: what lies on disk before what has the form of an image's name.
fn source(text: &str) -> Result<ImageName, Failure> {
    if let Some(parsed) = LocalReference::parse(text) {
        return parsed.map(ImageName::Local).map_err(|error| Failure::new(format!("{text}: {error}")));
    }
    let path = std::path::Path::new(text);
    if path.is_dir() && !path.join("oci-layout").exists() {
        return Err(Failure::new(format!("{text} is not an OCI layout, but a directory of other files"))
            .help(format!("`fbc build {text} -t REF --push` builds an image of a catalog and pushes it")));
    }
    if let Some(local) = local_of_path(path)? {
        return Ok(ImageName::Local(local));
    }
    ImageName::parse(text).map_err(|error| {
        Failure::new(format!("{text} is neither a layout, nor an archive, nor an image of a registry"))
            .help(error.to_string())
    })
}
