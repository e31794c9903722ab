//! The archive within a layer.

use std::io::{BufReader, Read};

use super::Compression;
use crate::error::ImageError;

/// The most memory that a frame of zstd may ask for, as a power of two: 128 MiB, what `zstd` itself permits.
const ZSTD_WINDOW: u32 = 27;

/// A layer without its compression.
pub(crate) fn uncompressed<'r>(
    layer: impl Read + 'r,
    compression: Option<Compression>,
) -> Result<Box<dyn Read + 'r>, ImageError> {
    let layer = BufReader::with_capacity(128 << 10, layer);
    Ok(match compression {
        None => Box::new(layer),
        Some(Compression::Gzip) => Box::new(flate2::bufread::MultiGzDecoder::new(layer)),
        Some(Compression::Zstd) => {
            let decoder = zstd::Decoder::with_buffer(layer).and_then(|mut decoder| {
                decoder.window_log_max(ZSTD_WINDOW)?;
                Ok(decoder)
            });
            Box::new(decoder.map_err(|error| ImageError::malformed("zstd", error))?)
        }
    })
}
