//! The bytes that a registry holds, and blobs on their way into it.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fbc_image::ImageError;
use fbc_image::store::BlobWriter;
use oci_spec::image::Digest;

use super::refusal::Refusal;
use crate::limits;

/// How many bytes a registry holds, with those on their way, and how many it may hold.
pub(super) struct Space {
    held: AtomicU64,
    most: u64,
    /// Held from the question whether a blob is there to its coming: what two clients push at once counts once.
    arrival: Mutex<()>,
}

impl Space {
    pub(super) fn new(held: u64, most: u64) -> Self {
        Self { held: AtomicU64::new(held), most, arrival: Mutex::default() }
    }

    /// Keeps other blobs from coming meanwhile.
    pub(super) fn arrival(&self) -> MutexGuard<'_, ()> {
        self.arrival.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts bytes that are about to be written.
    pub(super) fn take(&self, bytes: u64) -> Result<(), Refusal> {
        let taken = self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
            held.checked_add(bytes).filter(|held| *held <= self.most)
        });
        taken.map(drop).map_err(|held| Refusal::no_space(held, self.most))
    }

    /// Counts bytes off that are not kept.
    pub(super) fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A blob that is being written. Dropped, its bytes are gone.
pub(super) struct Staged {
    /// None once it is finished.
    writer: Option<BlobWriter>,
    space: Arc<Space>,
    taken: u64,
}

impl Staged {
    pub(super) fn new(writer: BlobWriter, space: Arc<Space>) -> Self {
        Self { writer: Some(writer), space, taken: 0 }
    }

    /// The bytes so far.
    pub(super) fn written(&self) -> u64 {
        self.taken
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let count = bytes.len() as u64;
        if self.taken + count > limits::BLOB_BYTES {
            return Err(Refusal::too_large(limits::BLOB_BYTES));
        }
        let writer = self.writer.as_mut().ok_or_else(Refusal::upload_unknown)?;
        self.space.take(count)?;
        self.taken += count;
        Ok(writer.write_all(bytes).map_err(ImageError::io("write to", writer.root()))?)
    }

    /// Gives the blob its name, if it has that digest; `is_known` says whether one with this name is there already.
    pub(super) fn finish_as(
        mut self,
        digest: &Digest,
        is_known: impl FnOnce() -> Result<bool, Refusal>,
    ) -> Result<(), Refusal> {
        let writer = self.writer.take().ok_or_else(Refusal::upload_unknown)?;
        let space = Arc::clone(&self.space);
        let _arrival = space.arrival();
        let is_known = is_known()?;
        writer.finish_as(digest)?;
        if !is_known {
            self.taken = 0;
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.space.give_back(self.taken);
    }
}
