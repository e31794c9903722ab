//! How much an image may unpack to.

use std::io::{self, Read};

use oci_spec::image::Digest;

use crate::blob::Hasher;
use crate::error::ImageError;
use crate::limits::{
    FREE_BYTES, PATH_BYTES_BY_ENTRY, STEPS_BY_ENTRY, UNPACKED_BYTES, UNPACKED_ENTRIES, UNPACKED_RATIO,
};

/// Limits of what is unpacked from one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all layers without their compression.
    pub bytes: u64,
    /// Entries of all layers, with the directories that only paths name.
    pub entries: u64,
    /// Bytes that one byte of a layer may become, once it has become more than 64 MiB.
    pub ratio: u64,
}

impl Default for Limits {
    /// 8 GiB, 100,000 entries, a ratio of 200. Text such as catalogs compresses to a tenth or twentieth.
    fn default() -> Self {
        Self { bytes: UNPACKED_BYTES, entries: UNPACKED_ENTRIES, ratio: UNPACKED_RATIO }
    }
}

/// A limit that an image passes, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassedLimit {
    /// Bytes of all layers.
    #[error("the image unpacks to more than the permitted {0} bytes")]
    Bytes(u64),
    /// Bytes that one byte of a layer may become.
    #[error("it unpacks to more than {0} times its size, as a decompression bomb does")]
    Ratio(u64),
    /// Entries of all layers.
    #[error("the image has more than the permitted {0} entries")]
    Entries(u64),
    /// Bytes of all paths.
    #[error("the paths of the image have more than the permitted {0} bytes")]
    PathBytes(u64),
    /// Steps along paths and links.
    #[error("its paths, links and whiteouts take more than the permitted {0} steps (limit unpacking-steps)")]
    Steps(u64),
}

/// What is left of the limits.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    bytes: u64,
    entries: u64,
    path_bytes: u64,
    layer_bytes: u64,
    /// The most that the layer at hand may become.
    layer_most: u64,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, bytes: 0, entries: 0, path_bytes: 0, layer_bytes: 0, layer_most: 0 }
    }

    pub(super) fn begin_layer(&mut self, compressed: u64) {
        self.layer_bytes = 0;
        self.layer_most = compressed.saturating_mul(self.limits.ratio).max(FREE_BYTES);
    }

    fn spend_bytes(&mut self, count: u64) -> Result<(), PassedLimit> {
        self.bytes = self.bytes.saturating_add(count);
        self.layer_bytes = self.layer_bytes.saturating_add(count);
        if self.bytes > self.limits.bytes {
            return Err(PassedLimit::Bytes(self.limits.bytes));
        }
        if self.layer_bytes > self.layer_most {
            return Err(PassedLimit::Ratio(self.limits.ratio));
        }
        Ok(())
    }

    fn spend_entry(&mut self, path_bytes: usize) -> Result<(), PassedLimit> {
        let most = self.limits.entries;
        self.entries += 1;
        self.path_bytes += path_bytes as u64;
        if self.entries > most {
            return Err(PassedLimit::Entries(most));
        }
        let most_bytes = most.saturating_mul(PATH_BYTES_BY_ENTRY);
        if self.path_bytes > most_bytes {
            return Err(PassedLimit::PathBytes(most_bytes));
        }
        Ok(())
    }
}

/// What walking along paths may still cost.
#[derive(Debug)]
pub(super) struct Steps {
    limits: Limits,
    walked: u64,
    made: u64,
}

impl Steps {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, walked: 0, made: 0 }
    }

    /// Spends steps; else which limit is passed.
    pub(super) fn walk(&mut self, steps: u64) -> Result<(), PassedLimit> {
        self.walked = self.walked.saturating_add(steps);
        let most = self.limits.entries.saturating_mul(STEPS_BY_ENTRY);
        match self.walked > most {
            true => Err(PassedLimit::Steps(most)),
            false => Ok(()),
        }
    }

    /// Spends a directory that no entry makes; else which limit is passed.
    pub(super) fn make(&mut self) -> Result<(), PassedLimit> {
        self.made += 1;
        match self.made > self.limits.entries {
            true => Err(PassedLimit::Entries(self.limits.entries)),
            false => Ok(()),
        }
    }
}

/// The archive of a layer, with its digest and what it takes of the budget.
pub(super) struct Metered<'b, R> {
    pub(super) inner: R,
    pub(super) budget: &'b mut Budget,
    pub(super) hasher: Hasher,
    pub(super) layer: &'b Digest,
}

impl<R> Metered<'_, R> {
    /// Counts bytes that a file has and the archive has not.
    pub(super) fn spend_zeros(&mut self, count: u64) -> Result<(), ImageError> {
        self.budget.spend_bytes(count).map_err(|limit| ImageError::Limit { layer: self.layer.clone(), limit })
    }

    /// Counts an entry.
    pub(super) fn entry(&mut self, path_bytes: usize) -> Result<(), ImageError> {
        self.budget
            .spend_entry(path_bytes)
            .map_err(|limit| ImageError::Limit { layer: self.layer.clone(), limit })
    }
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(buffer.get(..count).unwrap_or_default());
        match self.budget.spend_bytes(count as u64) {
            Ok(()) => Ok(count),
            Err(limit) => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                ImageError::Limit { layer: self.layer.clone(), limit },
            )),
        }
    }
}
