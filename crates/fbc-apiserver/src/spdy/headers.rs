//! Headers of streams: pairs of texts, compressed in one go over a whole connection.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::dictionary::dictionary;
use super::frame::FrameError;

/// Names, in lower case, and values.
pub type HeaderBlock = Vec<(String, String)>;

/// The longest headers of a stream, decompressed.
const LONGEST: usize = 64 << 10;
/// How much is decompressed or compressed at once.
const STEP: usize = 4 << 10;

/// The value of a header; empty without it.
pub fn value<'h>(headers: &'h HeaderBlock, name: &str) -> &'h str {
    headers.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
}

/// Decompresses headers, in the order in which they came.
#[derive(Debug)]
pub(super) struct HeaderReader {
    inflate: Decompress,
}

impl HeaderReader {
    pub(super) fn new() -> Self {
        Self { inflate: Decompress::new(true) }
    }

    /// The headers of one frame.
    pub(super) fn read(&mut self, block: &[u8]) -> Result<HeaderBlock, FrameError> {
        pairs(&self.decompressed(block)?)
    }

    fn decompressed(&mut self, mut block: &[u8]) -> Result<Vec<u8>, FrameError> {
        let mut text = Vec::new();
        loop {
            text.reserve(STEP);
            let before = (self.inflate.total_in(), text.len());
            let status = self.inflate.decompress_vec(block, &mut text, FlushDecompress::Sync);
            let taken = usize::try_from(self.inflate.total_in() - before.0).unwrap_or(usize::MAX);
            block = block.get(taken..).unwrap_or_default();
            if text.len() > LONGEST {
                return Err(FrameError::HeadersTooLong(LONGEST));
            }
            match status {
                Ok(Status::StreamEnd) => return Err(FrameError::Compression),
                Ok(Status::Ok | Status::BufError) => {
                    // All that the block holds is there when there is room left.
                    if block.is_empty() && text.len() < text.capacity() {
                        return Ok(text);
                    }
                    if taken == 0 && text.len() == before.1 {
                        return Err(FrameError::Compression);
                    }
                }
                Err(error) if error.needs_dictionary().is_some() => {
                    self.inflate.set_dictionary(&dictionary()).map_err(|_| FrameError::Compression)?;
                }
                Err(_) => return Err(FrameError::Compression),
            }
        }
    }
}

/// The pairs of a decompressed block.
fn pairs(mut block: &[u8]) -> Result<HeaderBlock, FrameError> {
    let mut headers = HeaderBlock::new();
    for _ in 0..number(&mut block)? {
        let name = text(&mut block)?;
        let value = text(&mut block)?;
        if name.is_empty()
            || name.chars().any(char::is_uppercase)
            || headers.iter().any(|(own, _)| *own == name)
        {
            return Err(FrameError::Headers);
        }
        headers.push((name, value));
    }
    if block.is_empty() { Ok(headers) } else { Err(FrameError::Headers) }
}

fn number(block: &mut &[u8]) -> Result<u32, FrameError> {
    let (number, rest) = block.split_first_chunk().ok_or(FrameError::Headers)?;
    *block = rest;
    Ok(u32::from_be_bytes(*number))
}

fn text(block: &mut &[u8]) -> Result<String, FrameError> {
    let length = usize::try_from(number(block)?).map_err(|_| FrameError::Headers)?;
    let (text, rest) = block.split_at_checked(length).ok_or(FrameError::Headers)?;
    *block = rest;
    String::from_utf8(text.to_vec()).map_err(|_| FrameError::Headers)
}

/// Compresses headers, in the order in which they are sent.
#[derive(Debug)]
pub(super) struct HeaderWriter {
    deflate: Compress,
}

impl HeaderWriter {
    pub(super) fn new() -> Self {
        let mut deflate = Compress::new(Compression::fast(), true);
        // Nothing was compressed yet, which is all that it asks for.
        let _ = deflate.set_dictionary(&dictionary());
        Self { deflate }
    }

    /// The headers of one frame.
    pub(super) fn write(&mut self, headers: &HeaderBlock) -> Vec<u8> {
        let mut text = length(headers.len()).to_vec();
        for part in headers.iter().flat_map(|(name, value)| [name, value]) {
            text.extend(length(part.len()));
            text.extend(part.as_bytes());
        }
        let mut block = Vec::new();
        let mut rest = text.as_slice();
        loop {
            block.reserve(STEP);
            let before = self.deflate.total_in();
            // A compressor that still works takes any bytes.
            let status = self.deflate.compress_vec(rest, &mut block, FlushCompress::Sync);
            let taken = usize::try_from(self.deflate.total_in() - before).unwrap_or(usize::MAX);
            rest = rest.get(taken..).unwrap_or_default();
            if status.is_err() || (rest.is_empty() && block.len() < block.capacity()) {
                return block;
            }
        }
    }
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}
