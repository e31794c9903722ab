//! `fbc pull`: an image from a registry into a layout or archive.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::output::file::check_folder_of;
use fbc_image::image::PlatformName;
use fbc_image::layout::Output;
use fbc_image::{FolderImage, Image, LocalReference};
use fbc_registry::{CopyOptions, FolderSink, LocalImage, PlatformChoice, Reference, copy_image};
use fbc_source::image_source::{ImageName, parse_reference, parse_registry_reference};

use crate::failure::{CLEAN, Failure};
use crate::output::file::write_digest;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::settings::Settings;

/// Pull an image from a registry
///
/// All digests are checked. Blobs go through the cache, so that what was there once is not pulled again, and a pull
/// that was interrupted goes on where it stopped. The target is written when everything is there. The digest is
/// written to standard output.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The image, such as quay.io/me/catalog:v4.19
    #[arg(value_name = "REF", value_parser = parse_registry_reference)]
    image: String,
    /// The destination: oci:PATH[:NAME] (a layout directory, to which the image is added), oci-archive:FILE[:NAME] or
    /// docker-archive:FILE[:NAME]
    #[arg(value_name = "TARGET", value_parser = parse_reference)]
    target: LocalReference,
    /// Only the image for this platform
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<PlatformName>,
    /// Write the digest to a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    digest_file: Option<PathBuf>,
    #[command(flatten)]
    transfer: TransferArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let named = Named::images([ImageName::Registry(arguments.image.clone())]);
    let session = arguments.transfer.session(named, &CopyLogins::default(), settings);
    let session = session.open()?;
    let reference = session.reference(&arguments.image)?;
    let mut target = arguments.target.clone();
    target.name = target.name.or_else(|| name_of(&reference));
    check_folder_of(arguments.digest_file.as_deref())?;
    // A target that cannot be written should show before the wait; who interrupts the wait finds nothing beside it.
    drop(Output::begin(&target, settings.trusts_links)?);
    let platform = arguments.platform.as_ref().map(PlatformName::platform);
    let options = CopyOptions { platform, parallel: session.parallel(), mount_from: None };
    if session.is_offline() {
        let (pinned, _) = session.documents(&arguments.image, &PlatformChoice::Any)?;
        session.admit(&arguments.image, &pinned)?;
    }
    let cached = session.wait(session.cache().whole(session.origin(), &reference, &options))?;
    let output = Output::begin(&target, settings.trusts_links)?;
    let image = LocalImage { source: &cached, shown: reference.to_string() };
    let sink = FolderSink { client: session.client(), blobs: output.blobs() };
    let report = session.wait(copy_image(&image, &sink, &options))?;
    if let Some(wanted) = &arguments.platform {
        let copied = FolderImage { root: report.root.clone(), blobs: output.blobs().clone() };
        check_platform(wanted, &Image::all(&copied)?).map_err(|failure| failure.within(&arguments.image))?;
    }
    output.finish(&report.root)?;
    if !settings.quiet {
        // What is said here is not worth failing for.
        let _ = writeln!(crate::terminal::stderr(), "pulled {reference} to {target}");
    }
    write_digest(arguments.digest_file.as_deref(), report.root.digest().as_ref(), settings)?;
    Ok(CLEAN)
}

/// Refuses what is for other platforms alone: an image without an index says so in its configuration only.
fn check_platform(wanted: &PlatformName, images: &[Image]) -> Result<(), Failure> {
    let known: Vec<PlatformName> = images.iter().map(Image::platform).collect();
    if known.is_empty() || known.iter().any(|platform| wanted.accepts(platform)) {
        return Ok(());
    }
    let known = known.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Err(Failure::new(format!("the image is for {known}, not for {wanted}"))
        .help("leave out --platform to take it as it is"))
}

/// The name of an image in a layout: its reference, unless that is a digest, which is not a name.
fn name_of(reference: &Reference) -> Option<String> {
    reference.tag().map(|tag| format!("{}:{tag}", reference.name()))
}
