//! Images that somebody asks about: which places are asked, with which credential, and what they answer.

use fbc_registry::{Credentials, Endpoint, Reference, Registries, Security};
use fbc_source::OpenSession;
use fbc_source::image_source::ImageName;

use super::item::Item;
use crate::failure::Failure;
use crate::registry::{Named, RegistryArguments};
use crate::settings::Settings;

pub(super) fn items(images: &[String], arguments: &RegistryArguments, settings: &Settings) -> Vec<Item> {
    let named = Named::images(images.iter().cloned().map(ImageName::Registry));
    let session = arguments.session(named.clone(), settings);
    let known = || -> Result<_, Failure> {
        let registries = Registries::read(&arguments.places().registries)?;
        let credentials = arguments.credentials(named, &registries)?;
        Ok((session.open()?, registries, credentials))
    };
    let (open, registries, credentials) = match known() {
        Ok(known) => known,
        Err(failure) => return vec![Item::from(failure)],
    };
    let items = |image: &String| {
        of_image(image, open, &registries, &credentials).unwrap_or_else(|failure| vec![Item::from(failure)])
    };
    images.iter().flat_map(items).collect()
}

fn of_image(
    image: &str,
    open: &OpenSession,
    registries: &Registries,
    credentials: &Credentials,
) -> Result<Vec<Item>, Failure> {
    let reference = open.reference(image)?;
    let mut items = Vec::new();
    for endpoint in registries.pull_endpoints(&reference)? {
        items.push(of_endpoint(&endpoint, credentials, open)?);
    }
    items.push(answer(image, &reference, open));
    Ok(items)
}

fn of_endpoint(endpoint: &Endpoint, credentials: &Credentials, open: &OpenSession) -> Result<Item, Failure> {
    let (registry, repository) = (endpoint.reference.registry(), endpoint.reference.repository());
    let credential = match open.wait(credentials.origin(registry, repository))? {
        Some(origin) => origin.to_string(),
        None => "no credential".to_owned(),
    };
    let security = match endpoint.security {
        Security::Verified => "",
        Security::Unverified => ", certificate not verified",
        Security::PlainHttp => ", plain HTTP",
    };
    Ok(Item::note(format!("{registry}/{repository} is asked with {credential}{security}")))
}

fn answer(image: &str, reference: &Reference, open: &OpenSession) -> Item {
    if open.is_offline() {
        return Item::note(format!("{image} is not asked for: no registry may be asked"));
    }
    match open.wait(open.client().resolve(reference)) {
        Ok(descriptor) => Item::good(format!("{image} is {}", descriptor.digest())),
        Err(error) => Item::from(Failure::from(error)),
    }
}
