//! Images on their way to registries: the places that tags name.

use fbc_image::image::PlatformName;
use fbc_registry::copy::{CopyReport, RegistryImage, Source};
use fbc_registry::{CopyOptions, Reference, copy_image};
use fbc_source::{Error, OpenSession};

use crate::event::Event;
use crate::settings::Settings;

/// The tags as places in registries.
pub fn destinations(tags: &[String]) -> Result<Vec<Reference>, Error> {
    tags.iter()
        .map(|tag| Reference::parse(tag).map_err(|error| Error::new(format!("{tag}: {error}"))))
        .collect()
}

/// Pushes an image to all destinations. `origin` is a repository that may have some of its blobs.
pub fn push(
    image: &dyn Source,
    origin: Option<Reference>,
    destinations: &[Reference],
    platform: Option<&PlatformName>,
    settings: &Settings,
    session: &OpenSession,
) -> Result<CopyReport, Error> {
    if session.is_offline() {
        return Err(Error::new("nothing can be pushed with --offline").help("leave it out"));
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
        settings.tell(Event::Pushed { destination, report: &report });
        last = Some(report);
        // Now this repository has all of them.
        options.mount_from = Some(destination.clone());
    }
    last.ok_or_else(|| Error::new("there is no place to push to").help("name one by --tag"))
}
