//! Images that somebody asks about: which places are asked, with which credential, and what they answer.

use fbc_registry::mirrors::RegistriesPaths;
use fbc_registry::{Credentials, Endpoint, Reference, Registries, Security};
use fbc_source::Error;
use fbc_source::{OpenSession, Session};

use super::item::Item;

pub(super) fn items(
    images: &[String],
    session: &Session,
    paths: &RegistriesPaths,
    credentials: impl FnOnce(&Registries) -> Result<Credentials, Error>,
) -> Vec<Item> {
    let known = || -> Result<_, Error> {
        let registries = Registries::read(paths)?;
        let credentials = credentials(&registries)?;
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
) -> Result<Vec<Item>, Error> {
    let reference = open.reference(image)?;
    let mut items = Vec::new();
    for endpoint in registries.pull_endpoints(&reference)? {
        items.push(of_endpoint(&endpoint, credentials, open)?);
    }
    items.push(answer(image, &reference, open));
    Ok(items)
}

fn of_endpoint(endpoint: &Endpoint, credentials: &Credentials, open: &OpenSession) -> Result<Item, Error> {
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
        Err(error) => Item::from(Error::from(error)),
    }
}
