//! The bodies of answers: lines as they are, and packed.

use std::io::{self, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Frame;

use super::text::{Chunks, Piece};

/// The body of an answer. It breaks off if what it is read from does.
pub type AnswerBody = BoxBody<Bytes, io::Error>;

/// A body of some bytes.
#[must_use]
pub fn whole(bytes: impl Into<Bytes>) -> AnswerBody {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed()
}

/// A body that is read as the client takes it.
pub(super) fn streamed(
    chunks: impl Iterator<Item = io::Result<Bytes>> + Send + Sync + 'static,
) -> AnswerBody {
    StreamBody::new(stream::iter(chunks.map(|chunk| chunk.map(Frame::data)))).boxed()
}

/// Lines as they are.
pub(super) fn plain(pieces: Vec<Piece>) -> AnswerBody {
    streamed(Chunks::new(pieces))
}

/// Packs pieces with gzip, chunk by chunk.
pub(super) fn gzip(pieces: Vec<Piece>) -> Gzip<Chunks> {
    Gzip::new(Chunks::new(pieces))
}

/// Packed bytes; each step gives what the encoder has ready.
pub(super) struct Gzip<I> {
    chunks: I,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl<I> Gzip<I> {
    pub(super) fn new(chunks: I) -> Self {
        Self { chunks, encoder: Some(GzEncoder::new(Vec::new(), Compression::new(6))) }
    }
}

impl<I: Iterator<Item = io::Result<Bytes>>> Iterator for Gzip<I> {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            let encoder = self.encoder.as_mut()?;
            let packed = match self.chunks.next() {
                Some(chunk) => chunk
                    .and_then(|chunk| encoder.write_all(&chunk))
                    .map(|()| std::mem::take(encoder.get_mut())),
                None => self.encoder.take()?.finish(),
            };
            match packed {
                Ok(packed) if packed.is_empty() => {}
                packed => return Some(packed.map(Bytes::from)),
            }
        }
    }
}
