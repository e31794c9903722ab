//! How much an image may unpack to.

use std::io::{self, Read};

use oci_spec::image::Digest;

use crate::blob::Hasher;
use crate::error::ImageError;

/// Limits of what is unpacked from one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all layers without their compression.
    pub bytes: u64,
    /// Entries of all layers.
    pub entries: u64,
    /// Bytes that one byte of a layer may become, once it has become more than 64 MiB.
    pub ratio: u64,
}

/// Layers up to this size are not held to the ratio: 64 MiB.
pub(super) const FREE_BYTES: u64 = 64 << 20;

impl Default for Limits {
    /// 8 GiB, a million entries, a ratio of 200. Text such as catalogs compresses to a tenth or twentieth.
    fn default() -> Self {
        Self { bytes: 8 << 30, entries: 1_000_000, ratio: 200 }
    }
}

/// What is left of the limits.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    bytes: u64,
    entries: u64,
    layer_bytes: u64,
    /// The most that the layer at hand may become.
    layer_most: u64,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, bytes: 0, entries: 0, layer_bytes: 0, layer_most: 0 }
    }

    pub(super) fn begin_layer(&mut self, compressed: u64) {
        self.layer_bytes = 0;
        self.layer_most = compressed.saturating_mul(self.limits.ratio).max(FREE_BYTES);
    }

    fn spend_bytes(&mut self, count: u64) -> Result<(), String> {
        self.bytes += count;
        self.layer_bytes += count;
        if self.bytes > self.limits.bytes {
            return Err(format!("the image unpacks to more than the permitted {} bytes", self.limits.bytes));
        }
        if self.layer_bytes > self.layer_most {
            return Err(format!(
                "it unpacks to more than {} times its size, as a decompression bomb does",
                self.limits.ratio
            ));
        }
        Ok(())
    }

    fn spend_entry(&mut self) -> Result<(), String> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(format!("the image has more than the permitted {} entries", self.limits.entries));
        }
        Ok(())
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
    /// Counts an entry.
    pub(super) fn entry(&mut self) -> Result<(), ImageError> {
        self.budget.spend_entry().map_err(|limit| ImageError::Limit { layer: self.layer.clone(), limit })
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
