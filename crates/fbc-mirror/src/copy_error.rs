//! Why an image could not be copied, as far as it matters for the images behind it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fbc_registry::blob::BlobStream;
use fbc_registry::{
    BlobSource, FetchedManifest, Pending, Problem, Reference, RegistryError, Result as RegistryResult, Source,
};
use futures_util::future::BoxFuture;
use oci_spec::image::Descriptor;

use fbc_source::Error;

/// What kept an image from being copied.
pub(crate) struct CopyError {
    pub(crate) error: Error,
    pub(crate) kind: Kind,
}

/// What an error means for the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The source does not exist.
    Missing,
    /// The destination cannot be reached; no other image would get there either.
    NoDestination,
    /// The destination takes no manifests of OCI's, and may take Docker's.
    Format,
    /// Anything else, of this image alone.
    Other,
}

impl<E: Into<Error>> From<E> for CopyError {
    fn from(error: E) -> Self {
        Self { error: error.into(), kind: Kind::Other }
    }
}

impl CopyError {
    /// What a copy from a watched source ended with.
    pub(super) fn of_copy(error: Box<RegistryError>, source: &Watched<'_>) -> Self {
        let is_unreachable = matches!(
            error.problem,
            Problem::Unreachable { connected: false, .. }
                | Problem::Certificate { .. }
                | Problem::NotHttps(_)
        );
        let kind = match () {
            () if source.is_missing.get() => Kind::Missing,
            () if error.problem.may_want_other_format() => Kind::Format,
            () if is_unreachable && !source.has_failed() => Kind::NoDestination,
            () => Kind::Other,
        };
        Self { error: error.into(), kind }
    }
}

/// A source that notes whether an error is its own, or that of the destination.
pub(super) struct Watched<'s> {
    source: &'s dyn Source,
    is_missing: Cell<bool>,
    has_failed: Arc<AtomicBool>,
}

impl<'s> Watched<'s> {
    pub(super) fn new(source: &'s dyn Source) -> Self {
        Self { source, is_missing: Cell::new(false), has_failed: Arc::default() }
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    fn note<T>(&self, outcome: RegistryResult<T>) -> RegistryResult<T> {
        if let Err(error) = &outcome {
            self.is_missing.set(does_not_exist(&error.problem));
            self.has_failed.store(true, Ordering::Relaxed);
        }
        outcome
    }
}

impl Source for Watched<'_> {
    fn root(&self) -> Pending<'_, FetchedManifest> {
        Box::pin(async move { self.note(self.source.root().await) })
    }

    fn manifest<'a>(&'a self, descriptor: &'a Descriptor) -> Pending<'a, FetchedManifest> {
        Box::pin(async move { self.note(self.source.manifest(descriptor).await) })
    }

    fn blob(&self, descriptor: &Descriptor) -> RegistryResult<Box<dyn BlobSource>> {
        let source = self.source.blob(descriptor)?;
        Ok(Box::new(WatchedBlob { source, has_failed: Arc::clone(&self.has_failed) }))
    }

    fn repository(&self) -> Option<&Reference> {
        self.source.repository()
    }
}

struct WatchedBlob {
    source: Box<dyn BlobSource>,
    has_failed: Arc<AtomicBool>,
}

impl BlobSource for WatchedBlob {
    fn open(&self, offset: u64) -> BoxFuture<'_, RegistryResult<BlobStream>> {
        Box::pin(async move {
            let opened = self.source.open(offset).await;
            if opened.is_err() {
                self.has_failed.store(true, Ordering::Relaxed);
            }
            opened
        })
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
