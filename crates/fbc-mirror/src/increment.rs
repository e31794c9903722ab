//! Directories that build upon earlier ones: what those brought is left out, and must be at the destination.

use fbc_registry::blob::BlobStream;
use fbc_registry::{
    BlobSource, FetchedManifest, LocalImage, Pending, Problem, Reference, RegistryError,
    Result as RegistryResult, Source,
};
use fbc_source::Error;
use fbc_source::session::OpenSession;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use oci_spec::image::{Descriptor, Digest};

use super::Prefix;
use super::record::{Copied, Document, Earlier};

/// So many images are named where the destination lacks more.
const NAMED: usize = 5;

/// An image in a directory, some of whose blobs earlier directories brought.
pub(super) struct Increment<'i> {
    pub(super) image: &'i LocalImage<'i>,
    pub(super) earlier: &'i Earlier,
}

impl Source for Increment<'_> {
    fn root(&self) -> Pending<'_, FetchedManifest> {
        Box::pin(async move { self.image.root().await })
    }

    fn manifest<'a>(&'a self, descriptor: &'a Descriptor) -> Pending<'a, FetchedManifest> {
        Box::pin(async move { self.image.manifest(descriptor).await })
    }

    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        match self.image.blob(descriptor) {
            Err(_) if self.earlier.blobs.contains_key(descriptor.digest().as_ref()) => {
                Ok(Box::new(LeftOut(descriptor.digest().clone())))
            }
            found => found,
        }
    }

    fn repository(&self) -> Option<&Reference> {
        None
    }
}

/// A blob that is not in the directory; who asks for its bytes lacks it.
struct LeftOut(Digest);

impl BlobSource for LeftOut {
    fn open(&self, _offset: u64) -> BoxFuture<'_, RegistryResult<BlobStream>> {
        let text = "the directory leaves it out because an earlier one brought it, and the destination does not have it";
        let error =
            RegistryError::new("send the blob", self.0.to_string(), Problem::Configuration(text.to_owned()));
        Box::pin(async move { Err(error) })
    }
}

/// Refuses a destination that lacks images which earlier directories brought.
pub fn check_destination(
    document: &Document,
    prefix: &Prefix,
    at_once: usize,
    session: &OpenSession,
) -> Result<(), Error> {
    // What is attached to images is joined at the destination, and may have another digest there.
    let carried: Vec<&Copied> = document.carried.iter().filter(|one| !one.is_attached).collect();
    let questions = stream::iter(&carried).map(async |one: &&Copied| -> Result<Option<Copied>, Error> {
        let reference = session.reference(&prefix.below(&one.place().to_string()))?;
        let Ok(digest) = one.digest.parse::<Digest>() else { return Ok(Some((*one).clone())) };
        let found = session.client().find_at_origin(&reference.with_digest(digest)).await?;
        Ok(found.is_none().then(|| (*one).clone()))
    });
    let answers: Vec<_> = session.wait(questions.buffered(at_once.max(1)).collect());
    let mut lacking = Vec::new();
    for answer in answers {
        lacking.extend(answer?);
    }
    if lacking.is_empty() {
        return Ok(());
    }
    let mut failure = Error::refusal(format!(
        "{prefix} lacks {} of {} images that earlier directories brought",
        lacking.len(),
        carried.len()
    ));
    for one in lacking.iter().take(NAMED) {
        let name = one.source.clone().unwrap_or_else(|| one.place().to_string());
        failure = failure.detail(format!("  {name} at {}", one.place()));
    }
    if lacking.len() > NAMED {
        failure = failure.detail(format!("  and {} more", lacking.len() - NAMED));
    }
    Err(failure
        .help("carry over the directory first that --since named, or write this one again without --since"))
}
