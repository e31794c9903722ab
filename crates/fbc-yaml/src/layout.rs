//! How much of a text may be indentation: it grows with the square of the depth of values, so that 60 KB of brackets would
//! become 300 MB.

/// Bytes of indentation that deeply nested values may have in one output.
pub const MOST_LAYOUT_BYTES: u64 = 64 << 20;

/// Nesting that no value of a real catalog or cluster comes near; what is nested less deep does not count.
pub const PLAIN_DEPTH: u32 = 100;

/// Deeply nested values are indented by more than they may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("values nested this deep are indented by more than {most} bytes in all (limit layout-bytes)")]
pub struct LayoutExceeded {
    /// What may be.
    pub most: u64,
}

/// What is left for the indentation of deeply nested values, in one text or in all texts of an output.
#[derive(Clone, Debug)]
pub struct LayoutRoom {
    most: u64,
    left: u64,
}

impl LayoutRoom {
    /// Room for so many bytes.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Self { most, left: most }
    }

    /// Takes the bytes in front of a line.
    ///
    /// # Errors
    /// There is less room, now and ever after.
    pub fn take(&mut self, bytes: usize) -> Result<(), LayoutExceeded> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => self.left = left,
            None => {
                self.left = 0;
                return Err(LayoutExceeded { most: self.most });
            }
        }
        Ok(())
    }
}

impl Default for LayoutRoom {
    fn default() -> Self {
        Self::new(MOST_LAYOUT_BYTES)
    }
}
