//! Ends of lines: the parser gets line feeds only, and places in its text are found again in the chunk.

use std::borrow::Cow;

use memchr::memmem;

/// The text of a chunk as the parser gets it: line feeds only, and one at the end.
pub(crate) fn normalised(chunk: &[u8]) -> Cow<'_, [u8]> {
    let mut chunk = Cow::Borrowed(chunk);
    if memmem::find(&chunk, b"\r\n").is_some() {
        let mut lines = Vec::with_capacity(chunk.len());
        let mut rest = chunk.as_ref();
        while let Some(at) = memmem::find(rest, b"\r\n") {
            lines.extend_from_slice(rest.get(..at).unwrap_or_default());
            lines.push(b'\n');
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        lines.extend_from_slice(rest);
        chunk = Cow::Owned(lines);
    }
    if !chunk.ends_with(b"\n") {
        chunk.to_mut().push(b'\n');
    }
    chunk
}

/// Where [`normalised`] left out carriage returns, to find places of its text in the chunk.
pub(crate) struct CarriageReturns {
    /// The bytes of the line feeds behind them, in the normalised text.
    line_feeds: Vec<usize>,
    chunk_length: usize,
}

impl CarriageReturns {
    pub(crate) fn new(chunk: &[u8]) -> Self {
        let line_feeds = memmem::find_iter(chunk, b"\r\n").enumerate().map(|(before, at)| at - before);
        Self { line_feeds: line_feeds.collect(), chunk_length: chunk.len() }
    }

    /// The byte of the chunk for a byte of the normalised text.
    pub(crate) fn original(&self, byte: usize) -> usize {
        (byte + self.line_feeds.partition_point(|&line_feed| line_feed < byte)).min(self.chunk_length)
    }
}
