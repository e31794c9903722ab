//! Budgets for reading: what a few bytes may grow to before reading gives up.
//!
//! Time and memory of a reader follow from the size of its input, with two exceptions: a document of two bytes
//! costs as much as one of a thousand, and an alias repeats a value that may be large. Both are counted here.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use fbc_go::allowance::Exceeded;

/// What one run may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Documents in all files together.
    pub documents: u64,
    /// Bytes that aliases repeat, in all documents together: of text, and [`VALUE_BYTES`] for each value.
    pub alias_bytes: u64,
}

/// What a value counts beside its text.
pub const VALUE_BYTES: u64 = 32;

impl Default for Limits {
    fn default() -> Self {
        Self { documents: 200_000, alias_bytes: 64 << 20 }
    }
}

/// An ignore file whose patterns take more than they may, so that nobody knows which files are to be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what} {exceeded}", path.display())]
pub struct PatternsExceeded {
    /// The ignore file.
    pub path: PathBuf,
    /// What about it takes so much.
    pub what: &'static str,
    /// The limit that is reached.
    pub exceeded: Exceeded,
}

/// A budget that is used up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitExceeded {
    /// There are more documents than this.
    #[error("there are more than {0} documents")]
    Documents(u64),
    /// Aliases repeat more bytes than this.
    #[error("YAML aliases repeat more than {0} bytes")]
    AliasBytes(u64),
    /// What is read is found by patterns that take more than this.
    #[error("{0}")]
    Patterns(PatternsExceeded),
}

impl LimitExceeded {
    /// The name of the budget.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Documents(_) => "documents",
            Self::AliasBytes(_) => "alias-bytes",
            Self::Patterns(patterns) => patterns.exceeded.name(),
        }
    }
}

/// Counts what several threads read together. Whether a budget is used up does not depend on their order.
#[derive(Debug, Default)]
pub struct Meter {
    limits: Limits,
    documents: AtomicU64,
    alias_bytes: AtomicU64,
    patterns: OnceLock<PatternsExceeded>,
}

impl Meter {
    /// A meter with nothing read yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Counts documents.
    ///
    /// # Errors
    /// There are more than may be.
    pub fn count_documents(&self, count: u64) -> Result<(), LimitExceeded> {
        match add(&self.documents, count) <= self.limits.documents {
            true => Ok(()),
            false => Err(LimitExceeded::Documents(self.limits.documents)),
        }
    }

    /// Counts the bytes that an alias repeats.
    pub(crate) fn count_alias(&self, bytes: u64) -> Result<(), LimitExceeded> {
        match add(&self.alias_bytes, bytes) <= self.limits.alias_bytes {
            true => Ok(()),
            false => Err(LimitExceeded::AliasBytes(self.limits.alias_bytes)),
        }
    }

    /// Notes that patterns take more than they may, so that nobody knows which files are to be read.
    pub fn note_patterns(&self, exceeded: PatternsExceeded) {
        // The first one says it all.
        let _ = self.patterns.set(exceeded);
    }

    /// The number of documents that may still be read.
    pub(crate) fn documents_left(&self) -> u64 {
        self.limits.documents.saturating_sub(self.documents.load(Ordering::Relaxed))
    }

    /// The budget that is used up; what was read is not whole then.
    #[must_use]
    pub fn exceeded(&self) -> Option<LimitExceeded> {
        let patterns = self.patterns.get().cloned().map(LimitExceeded::Patterns);
        patterns.or_else(|| self.count_documents(0).and_then(|()| self.count_alias(0)).err())
    }
}

/// The sum after adding.
fn add(counter: &AtomicU64, count: u64) -> u64 {
    counter.fetch_add(count, Ordering::Relaxed).saturating_add(count)
}
