//! What registries say of images: digests, sizes, platforms, or why they cannot be pulled.

use std::collections::BTreeSet;

use fbc_registry::manifest::Manifest;
use fbc_registry::{Client, Problem, RegistryError, platform};
use futures_util::StreamExt as _;
use futures_util::stream;

use crate::error::{Error, ErrorKind};
use crate::session::Session;

use super::{Found, FoundImage};

/// Asks registries for all of these images, several at a time. Nothing but manifests travels.
///
/// # Errors
/// If no registry can be asked at all; a single image that cannot be pulled is a part of the answer.
pub fn find_all<'r>(
    references: impl IntoIterator<Item = &'r str>,
    session: &Session,
) -> Result<Found, Error> {
    let session = session.open()?;
    if session.is_offline() {
        return Err(Error::new("this asks registries, and --offline forbids that")
            .of_kind(ErrorKind::Offline)
            .help("leave out --offline"));
    }
    let client = session.client();
    let references: Vec<&str> = references.into_iter().collect();
    let progress = session.question_count(references.len());
    let counter = progress.as_deref();
    let questions = references.into_iter().map(|text| async move {
        let found = find(client, text).await;
        if let Some(counter) = counter {
            counter.advance();
        }
        (text.to_owned(), found)
    });
    Ok(session.wait(stream::iter(questions).buffer_unordered(session.parallel()).collect()))
}

async fn find(client: &Client, text: &str) -> Result<FoundImage, Box<RegistryError>> {
    let manifest = client.manifest(&client.reference(text)?).await?;
    let platforms = match &manifest.manifest {
        Manifest::Image(_) => Vec::new(),
        Manifest::Index(index) => index
            .manifests()
            .iter()
            .filter_map(|one| Some((platform::show(one.platform().as_ref()?), one.digest().to_string())))
            .collect(),
    };
    Ok(FoundImage { digest: manifest.descriptor.digest().to_string(), platforms })
}

/// Whether registries say that there is no such image; other errors leave it open.
pub fn is_absent(error: &RegistryError) -> bool {
    match &error.problem {
        Problem::NotFound(_) | Problem::NoRepository(_) => true,
        Problem::Endpoints(errors) => errors.iter().all(is_absent),
        _ => false,
    }
}

/// Whether a registry says that it has no such image; who may not ask does not know.
///
/// # Errors
/// If no registry can be asked at all.
pub fn is_known_absent(reference: &str, session: &Session) -> Result<bool, Error> {
    if session.open()?.is_offline() {
        return Ok(false);
    }
    let answers = find_all([reference], session)?;
    Ok(answers.into_values().any(|answer| answer.is_err_and(|error| is_absent(&error))))
}

/// Those of some images that mirrors have, and the places that they are named by have not.
pub fn only_in_mirrors<'r>(
    references: impl IntoIterator<Item = &'r str>,
    session: &Session,
) -> Result<BTreeSet<String>, Error> {
    let session = session.open()?;
    let client = session.client();
    let questions = references.into_iter().map(|text| async move {
        let reference = client.reference(text).ok()?;
        let asks = client.has_mirrors(&reference).is_ok_and(|has| has);
        let is_lost =
            asks && client.manifest_at_origin(&reference).await.is_err_and(|error| is_absent(&error));
        is_lost.then(|| text.to_owned())
    });
    let answers = stream::iter(questions).buffer_unordered(session.parallel());
    Ok(session.wait(answers.filter_map(std::future::ready).collect()))
}
