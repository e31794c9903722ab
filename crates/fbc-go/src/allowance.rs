//! What inputs may grow to: variables, templates, paths and patterns repeat what they are given, so that a few lines which
//! repeat each other would have no end. Whatever expands is handed an [`Allowance`] and charges it before it grows.
//!
//! Alone among the modules here this is nothing of Go's. It lies in the lowest crate, where all that expands can reach it.

use std::sync::atomic::{AtomicU64, Ordering};

/// How much may be made of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpansionLimits {
    /// Bytes of text that is made.
    pub bytes: u64,
    /// Values, rounds of loops and comparisons that are gone through.
    pub steps: u64,
}

impl ExpansionLimits {
    /// Far more than real repositories, templates and expressions need: 256 MiB, and twenty million steps.
    pub const USUAL: Self = Self { bytes: 256 << 20, steps: 20_000_000 };
}

impl Default for ExpansionLimits {
    fn default() -> Self {
        Self::USUAL
    }
}

/// An allowance is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// There would be more text than this.
    #[error("expands to more than {0} bytes")]
    Bytes(u64),
    /// It would take more steps than this.
    #[error("takes more than {0} steps")]
    Steps(u64),
}

impl Exceeded {
    /// The name of the budget.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes(_) => "expansion-bytes",
            Self::Steps(_) => "expansion-steps",
        }
    }
}

/// What one input may still be expanded to. Several threads may share it: whether it is used up does not depend on their
/// order.
#[derive(Debug, Default)]
pub struct Allowance {
    limits: ExpansionLimits,
    bytes: AtomicU64,
    steps: AtomicU64,
}

impl Allowance {
    /// An allowance of which nothing is used yet.
    #[must_use]
    pub fn new(limits: ExpansionLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Charges bytes that are about to be made.
    ///
    /// # Errors
    /// There would be more than may be, now and from now on.
    pub fn bytes(&self, count: usize) -> Result<(), Exceeded> {
        match add(&self.bytes, count) <= self.limits.bytes {
            true => Ok(()),
            false => Err(Exceeded::Bytes(self.limits.bytes)),
        }
    }

    /// Charges steps that are about to be taken.
    ///
    /// # Errors
    /// There would be more than may be, now and from now on.
    pub fn steps(&self, count: usize) -> Result<(), Exceeded> {
        match add(&self.steps, count) <= self.limits.steps {
            true => Ok(()),
            false => Err(Exceeded::Steps(self.limits.steps)),
        }
    }

    /// Appends to a text that grows.
    ///
    /// # Errors
    /// It would be larger than it may be; then it is as it was.
    pub fn push(&self, text: &mut String, part: &str) -> Result<(), Exceeded> {
        self.bytes(part.len())?;
        text.push_str(part);
        Ok(())
    }

    /// What is used up, if something is.
    #[must_use]
    pub fn exceeded(&self) -> Option<Exceeded> {
        self.bytes(0).and_then(|()| self.steps(0)).err()
    }
}

/// The sum after adding; one that is too large stays so.
fn add(counter: &AtomicU64, count: usize) -> u64 {
    let count = count as u64;
    let before =
        counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |sum| Some(sum.saturating_add(count)));
    before.unwrap_or_else(|sum| sum).saturating_add(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_up_stays_used_up() {
        let allowance = Allowance::new(ExpansionLimits { bytes: 4, steps: 2 });
        let mut text = String::new();
        assert_eq!(allowance.push(&mut text, "abc"), Ok(()));
        assert_eq!(allowance.steps(2), Ok(()));
        assert_eq!(allowance.exceeded(), None);
        assert_eq!(allowance.push(&mut text, "de"), Err(Exceeded::Bytes(4)));
        assert_eq!(text, "abc");
        assert_eq!(allowance.push(&mut text, ""), Err(Exceeded::Bytes(4)));
        assert_eq!(allowance.steps(usize::MAX), Err(Exceeded::Steps(2)));
        assert_eq!(allowance.steps(usize::MAX), Err(Exceeded::Steps(2)));
        assert_eq!(allowance.exceeded().map(Exceeded::name), Some("expansion-bytes"));
    }
}
