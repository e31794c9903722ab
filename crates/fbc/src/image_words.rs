//! What is said of images that were built and pushed.

use std::io::Write as _;

use fbc_app::count::size;
use fbc_image::LocalReference;
use fbc_image::build::Built;
use fbc_registry::Reference;
use fbc_registry::copy::CopyReport;
use fbc_registry::observer::BlobOutcome;

use crate::terminal;

/// Says what was built.
pub(crate) fn built(output: Option<&LocalReference>, built: &Built) {
    let platforms: Vec<String> = built.images.iter().map(|(platform, _)| platform.to_string()).collect();
    let (plain, packed) = (size(built.layer.uncompressed_bytes), size(built.layer.descriptor.size()));
    let target = output.map(|output| format!(" {output}")).unwrap_or_default();
    // What is said here is not worth failing for.
    let _ =
        writeln!(terminal::stderr(), "built{target} for {}; {plain} became {packed}", platforms.join(", "));
}

/// Says what was pushed.
pub(crate) fn pushed(destination: &Reference, report: &CopyReport) {
    let count = |wanted| report.blobs.values().filter(|outcome| **outcome == wanted).count();
    let parts = [
        (count(BlobOutcome::Transferred), "sent"),
        (count(BlobOutcome::Mounted), "mounted from another repository"),
        (count(BlobOutcome::Existed), "there already"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    // What is said here is not worth failing for.
    let _ = writeln!(terminal::stderr(), "pushed {destination}; blobs: {}", parts.join(", "));
}
