//! `fbc push`: an image from a layout or archive, or from another registry, into a registry.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_image::LocalReference;
use fbc_image::image::PlatformName;
use fbc_image::registry::copy::{CopyReport, RegistryImage, Source};
use fbc_image::registry::observer::BlobOutcome;
use fbc_image::registry::{CopyOptions, LocalImage, Reference, copy_image};
use fbc_source::OpenSession;
use fbc_source::image_source::{ImageName, local_of_path, parse_tag};

use crate::arguments::Global;
use crate::failure::{CLEAN, Failure};
use crate::output_file::write_file;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::terminal;

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
    /// Where to, such as quay.io/me/catalog:v4.19; may be given several times
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

pub(crate) fn run(arguments: &Arguments, global: Global) -> Result<u8, Failure> {
    let destinations = destinations(&arguments.tag)?;
    let source = source(&arguments.source)?;
    let named = Named::images([source.clone()]).and_destinations(&arguments.tag);
    let session = arguments.transfer.session(named, &arguments.logins);
    let session = session.open()?;
    let platform = arguments.platform.as_ref();
    let report = match source {
        ImageName::Local(reference) => {
            let within = |error| Failure::from(error).within(&reference.to_string());
            let source = reference.open().map_err(within)?;
            let shown = reference.to_string();
            let image = LocalImage { source: source.as_ref(), shown };
            push(&image, None, &destinations, platform, global, session)?
        }
        ImageName::Registry(text) => {
            let reference = session.reference(&text)?;
            let image = RegistryImage::new(session.client(), &reference);
            push(&image, Some(reference), &destinations, platform, global, session)?
        }
    };
    write_digest(arguments.digest_file.as_deref(), report.root.digest().as_ref())?;
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

/// The tags as places in registries.
pub(super) fn destinations(tags: &[String]) -> Result<Vec<Reference>, Failure> {
    tags.iter()
        .map(|tag| Reference::parse(tag).map_err(|error| Failure::new(format!("{tag}: {error}"))))
        .collect()
}

/// Pushes an image to all destinations. `origin` is a repository that may have some of its blobs.
pub(super) fn push(
    image: &impl Source,
    origin: Option<Reference>,
    destinations: &[Reference],
    platform: Option<&PlatformName>,
    global: Global,
    session: &OpenSession,
) -> Result<CopyReport, Failure> {
    if session.is_offline() {
        return Err(Failure::new("nothing can be pushed with --offline").help("leave it out"));
    }
    let mut options = CopyOptions {
        platform: platform.map(PlatformName::platform),
        parallel: session.parallel(),
        mount_from: origin,
    };
    let mut last = None;
    for destination in destinations {
        let target = RegistryImage::new(session.client(), destination);
        let report = session.wait(copy_image(image, &target, &options))?;
        if !global.quiet {
            tell(destination, &report);
        }
        last = Some(report);
        // Now this repository has all of them.
        options.mount_from = Some(destination.clone());
    }
    last.ok_or_else(|| Failure::new("there is no place to push to").help("name one by --tag"))
}

/// Writes a digest to standard output, and to a file if one is named.
pub(super) fn write_digest(path: Option<&std::path::Path>, digest: &str) -> Result<(), Failure> {
    if let Some(path) = path {
        write_file(path, |out| Ok(out.write_all(digest.as_bytes())?))?;
    }
    let mut out = terminal::stdout();
    writeln!(out, "{digest}")?;
    Ok(out.flush()?)
}

/// Says what was pushed.
fn tell(destination: &Reference, report: &CopyReport) {
    let count = |wanted| report.blobs.values().filter(|outcome| **outcome == wanted).count();
    let parts = [
        (count(BlobOutcome::Transferred), "sent"),
        (count(BlobOutcome::Mounted), "mounted from another repository"),
        (count(BlobOutcome::Existed), "there already"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    // What is said here is not worth failing for.
    let _ = writeln!(crate::terminal::stderr(), "pushed {destination}; blobs: {}", parts.join(", "));
}
