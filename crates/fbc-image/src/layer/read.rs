//! The archive within a layer.

use std::io::{self, BufReader, Cursor, Read};

use oci_spec::image::{Descriptor, Digest, MediaType};

use super::{Compression, compression_of};
use crate::blob::read_error;
use crate::error::ImageError;
use crate::image::{ImageSource, open_verified};

/// The most memory that a frame of zstd may ask for, as a power of two: 128 MiB, what `zstd` itself permits.
const ZSTD_WINDOW: u32 = 27;

/// So many bytes tell the compression.
const MAGIC_BYTES: u64 = 4;

/// A layer whose media type names another compression than its bytes have. Whoever runs images looks at the bytes alone
/// (`containers/image:pkg/compression/compression.go` DetectCompression,
/// `containerd/containerd:pkg/archive/compression/compression.go` DetectCompression).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("layer {layer} is labeled {media_type}, and its bytes are {}; the bytes count", in_words(*.found))]
pub struct Mislabeled {
    /// The digest of the layer.
    pub layer: Digest,
    /// The media type that its manifest gives it.
    pub media_type: MediaType,
    /// What its bytes are compressed with.
    pub found: Option<Compression>,
}

fn in_words(compression: Option<Compression>) -> &'static str {
    match compression {
        None => "not compressed",
        Some(Compression::Gzip) => "gzip",
        Some(Compression::Zstd) => "zstd",
    }
}

/// A layer without its compression, whatever its media type says of that.
pub(crate) struct LayerArchive<'r> {
    pub(crate) archive: Box<dyn Read + 'r>,
    /// Set if the media type says something else than the bytes.
    pub(crate) mislabeled: Option<Mislabeled>,
}

/// Opens a layer of an image; reading fails unless its bytes are what the descriptor says.
pub(crate) fn open_layer<'s>(
    source: &'s dyn ImageSource,
    layer: &Descriptor,
) -> Result<LayerArchive<'s>, ImageError> {
    let labeled = compression_of(layer.media_type()).ok_or_else(|| ImageError::Layer {
        layer: layer.digest().clone(),
        reason: format!("is of type {}, which is not a layer", layer.media_type()),
    })?;
    let (start, rest) = peek(open_verified(source, layer)?).map_err(read_error(layer.digest()))?;
    let found = compression_of_bytes(&start);
    // Nothing at all is an archive without entries, and so says any label.
    let mislabeled = (found != labeled && !start.is_empty()).then(|| Mislabeled {
        layer: layer.digest().clone(),
        media_type: layer.media_type().clone(),
        found,
    });
    let archive = uncompressed(Cursor::new(start).chain(rest), found)?;
    Ok(LayerArchive { archive, mislabeled })
}

/// The first bytes of a layer, and what is behind them.
fn peek<R: Read>(mut layer: R) -> io::Result<(Vec<u8>, R)> {
    let mut start = Vec::new();
    layer.by_ref().take(MAGIC_BYTES).read_to_end(&mut start)?;
    Ok((start, layer))
}

/// The compression that the first four bytes tell: RFC 1952, section 2.3.1; RFC 8878, section 3.1.
pub(crate) fn compression_of_bytes(start: &[u8]) -> Option<Compression> {
    match start {
        [0x1f, 0x8b, ..] => Some(Compression::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
        _ => None,
    }
}

/// Bytes without their compression.
pub(crate) fn uncompressed<'r>(
    bytes: impl Read + 'r,
    compression: Option<Compression>,
) -> Result<Box<dyn Read + 'r>, ImageError> {
    let bytes = BufReader::with_capacity(128 << 10, bytes);
    Ok(match compression {
        None => Box::new(bytes),
        Some(Compression::Gzip) => Box::new(flate2::bufread::MultiGzDecoder::new(bytes)),
        Some(Compression::Zstd) => {
            let decoder = zstd::Decoder::with_buffer(bytes).and_then(|mut decoder| {
                decoder.window_log_max(ZSTD_WINDOW)?;
                Ok(decoder)
            });
            Box::new(decoder.map_err(|error| ImageError::malformed("zstd", error))?)
        }
    })
}
