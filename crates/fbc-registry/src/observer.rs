//! What a caller may hear of while the client works.

use std::time::Duration;

use oci_spec::image::Digest;

use crate::credentials::CredentialOrigin;

/// How a blob came to be where it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobOutcome {
    /// It was transferred.
    Transferred,
    /// It was there already.
    Existed,
    /// The registry took it from another of its repositories.
    Mounted,
}

/// Told of what happens; every method may be left out. They are called from the thread that runs the client.
pub trait Observer: Send + Sync {
    /// A credential was chosen for a repository (`registry/name`), or none is there. Values are never told.
    fn credential(&self, _repository: &str, _origin: Option<&CredentialOrigin>) {}

    /// Something failed and is tried again after a wait.
    fn retry(&self, _what: &str, _why: &str, _wait: Duration) {}

    /// An endpoint failed and the next one is asked.
    fn next_endpoint(&self, _failed: &str, _why: &str) {}

    /// `position` bytes of `size` of a blob are through. It may go back after a failure.
    fn blob_moved(&self, _digest: &Digest, _position: u64, _size: u64) {}

    /// A blob is where it should be.
    fn blob_done(&self, _digest: &Digest, _outcome: BlobOutcome) {}
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
