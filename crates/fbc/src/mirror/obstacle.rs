//! Why an image could not be copied, as far as it matters for the images behind it.

use std::cell::Cell;

use fbc_image::registry::{
    BlobSource, FetchedManifest, Problem, Reference, RegistryError, Result as RegistryResult, Source,
};
use oci_spec::image::Descriptor;

use crate::failure::Failure;

/// What kept an image from being copied.
pub(crate) struct Obstacle {
    pub(crate) failure: Failure,
    pub(crate) kind: Kind,
}

/// What an obstacle means for the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The source does not exist.
    Missing,
    /// The destination cannot be reached; no other image would get there either.
    NoDestination,
    /// Anything else, of this image alone.
    Other,
}

impl<E: Into<Failure>> From<E> for Obstacle {
    fn from(error: E) -> Self {
        Self { failure: error.into(), kind: Kind::Other }
    }
}

impl Obstacle {
    /// What a copy ended with. `is_missing` says that the source did; `host` is the registry of the destination.
    pub(crate) fn of_copy(error: Box<RegistryError>, is_missing: bool, host: Option<&str>) -> Self {
        let is_of_destination = host.is_some_and(|host| {
            let place = error.place.split_once("://").map_or(error.place.as_str(), |(_, place)| place);
            place.split('/').next() == Some(host)
        });
        let is_unreachable = matches!(
            error.problem,
            Problem::Unreachable { connected: false, .. }
                | Problem::Certificate { .. }
                | Problem::NotHttps(_)
        );
        let kind = match () {
            () if is_missing => Kind::Missing,
            () if is_of_destination && is_unreachable => Kind::NoDestination,
            () => Kind::Other,
        };
        Self { failure: error.into(), kind }
    }
}

/// A source that notes whether it lacks a manifest; the same answer of a destination means something else.
pub(crate) struct Watched<'s, S> {
    source: &'s S,
    is_missing: Cell<bool>,
}

impl<'s, S: Source> Watched<'s, S> {
    pub(crate) fn new(source: &'s S) -> Self {
        Self { source, is_missing: Cell::new(false) }
    }

    /// Whether a manifest was asked for that is not there.
    pub(crate) fn is_missing(&self) -> bool {
        self.is_missing.get()
    }

    fn note<T>(&self, outcome: RegistryResult<T>) -> RegistryResult<T> {
        self.is_missing.set(outcome.as_ref().is_err_and(|error| does_not_exist(&error.problem)));
        outcome
    }
}

impl<S: Source> Source for Watched<'_, S> {
    async fn root(&self) -> RegistryResult<FetchedManifest> {
        self.note(self.source.root().await)
    }

    async fn manifest(&self, descriptor: &Descriptor) -> RegistryResult<FetchedManifest> {
        self.note(self.source.manifest(descriptor).await)
    }

    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        self.source.blob(descriptor)
    }

    fn repository(&self) -> Option<&Reference> {
        self.source.repository()
    }
}

/// Whether a registry says that there is no such image, and none that could be reached says anything else.
fn does_not_exist(problem: &Problem) -> bool {
    match problem {
        Problem::NotFound(_) | Problem::NoRepository(_) => true,
        Problem::Endpoints(errors) => {
            let is_silent =
                |problem: &Problem| matches!(problem, Problem::Unreachable { connected: false, .. });
            let mut answers = errors.iter().filter(|error| !is_silent(&error.problem)).peekable();
            answers.peek().is_some() && answers.all(|error| does_not_exist(&error.problem))
        }
        _ => false,
    }
}
