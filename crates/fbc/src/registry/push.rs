//! Images on their way to registries: the places that tags name, and what is said of each push.

use std::io::Write as _;

use fbc_image::image::PlatformName;
use fbc_registry::copy::{CopyReport, RegistryImage, Source};
use fbc_registry::observer::BlobOutcome;
use fbc_registry::{CopyOptions, Reference, copy_image};
use fbc_source::OpenSession;

use crate::failure::Failure;
use crate::settings::Settings;

/// The tags as places in registries.
pub(crate) fn destinations(tags: &[String]) -> Result<Vec<Reference>, Failure> {
    tags.iter()
        .map(|tag| Reference::parse(tag).map_err(|error| Failure::new(format!("{tag}: {error}"))))
        .collect()
}

/// Pushes an image to all destinations. `origin` is a repository that may have some of its blobs.
pub(crate) fn push(
    image: &dyn Source,
    origin: Option<Reference>,
    destinations: &[Reference],
    platform: Option<&PlatformName>,
    settings: &Settings,
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
        if !settings.quiet {
            tell(destination, &report);
        }
        last = Some(report);
        // Now this repository has all of them.
        options.mount_from = Some(destination.clone());
    }
    last.ok_or_else(|| Failure::new("there is no place to push to").help("name one by --tag"))
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
