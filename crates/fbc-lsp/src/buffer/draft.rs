//! Changes of a text that were not read so far: what a burst of them costs does not depend on the size of its documents.
//!
//! The documents that a change touches lie here in chunks, until somebody needs to know what they mean ([`Draft::settle`]). All
//! others are those of the buffer.

use std::ops::Range;
use std::sync::Arc;

use lsp_types::Position;

use super::edit::Unread;
use super::{Buffer, Piece};
use crate::position::{Encoding, byte_at, shifted};

/// Bytes of a chunk, about.
pub const CHUNK_BYTES: usize = 32 << 10;

/// A text with changes.
#[derive(Debug)]
pub struct Draft {
    /// The version that the client gave the text last.
    pub version: i32,
    /// How many bytes of text were put together for changes.
    pub copied: usize,
    base: Buffer,
    /// Where each document of the buffer begins, and where the last ends.
    starts: Vec<Position>,
    stretches: Vec<Stretch>,
    encoding: Encoding,
}

/// A part of the text.
#[derive(Debug)]
enum Stretch {
    /// Documents of the buffer.
    Kept(Range<usize>),
    /// A chunk of documents that have changed.
    Typed(Piece),
}

/// A byte of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    stretch: usize,
    /// The document, where the stretch is of the buffer.
    piece: usize,
    byte: usize,
}

impl Draft {
    /// A text without changes.
    #[must_use]
    pub fn new(base: Buffer, version: i32, encoding: Encoding) -> Self {
        let mut starts = base.starts(encoding);
        let end = match (starts.last(), base.pieces.last()) {
            (Some(start), Some(last)) => shifted(*start, last.end(encoding)),
            _ => Position::default(),
        };
        starts.push(end);
        let stretches = vec![Stretch::Kept(0..base.pieces.len())];
        Self { version, copied: 0, base, starts, stretches, encoding }
    }

    /// Makes a change in the text that the ones before leave: of a range, or of everything.
    pub fn apply(&mut self, range: Option<lsp_types::Range>, text: &str) {
        let places = range.and_then(|range| Some([self.locate(range.start)?, self.locate(range.end)?]));
        match places {
            Some([from, to]) if from <= to => self.replace(from, to, text),
            _ => self.replace_all(text),
        }
    }

    /// Reads what has changed: the buffer, and the packages of the documents that changed, before and after.
    #[must_use]
    pub fn settle(self) -> (Buffer, Vec<String>) {
        let Self { base, stretches, .. } = self;
        let mut buffer = Buffer { pieces: Vec::with_capacity(base.pieces.len()), is_json: base.is_json };
        let (mut unread, mut text, mut end) = (Unread::new(), None::<String>, 0);
        let last = base.pieces.len()..base.pieces.len();
        for stretch in stretches.into_iter().chain([Stretch::Kept(last)]) {
            match stretch {
                Stretch::Typed(chunk) => text.get_or_insert_default().push_str(&chunk.text),
                Stretch::Kept(pieces) => {
                    if text.is_some() || end < pieces.start {
                        let old = base.pieces.get(end..pieces.start).unwrap_or_default();
                        unread.insert(buffer.pieces.len(), old.to_vec());
                        buffer.pieces.push(Arc::new(Piece::unread(text.take().unwrap_or_default())));
                    }
                    end = pieces.end;
                    buffer.pieces.extend_from_slice(base.pieces.get(pieces).unwrap_or_default());
                }
            }
        }
        let changed = buffer.read_all(unread);
        (buffer, changed)
    }

    fn locate(&self, position: Position) -> Option<Place> {
        let mut start = Position::default();
        for (number, stretch) in self.stretches.iter().enumerate() {
            let end = shifted(start, self.extent(stretch));
            if position < end || number + 1 == self.stretches.len() {
                let inner = relative(position, start);
                return match stretch {
                    Stretch::Typed(chunk) => {
                        let byte = byte_at(&chunk.text, inner, self.encoding);
                        Some(Place { stretch: number, piece: 0, byte })
                    }
                    Stretch::Kept(pieces) => self.locate_kept(number, pieces, inner),
                };
            }
            start = end;
        }
        None
    }

    fn locate_kept(&self, stretch: usize, pieces: &Range<usize>, inner: Position) -> Option<Place> {
        let position = shifted(*self.starts.get(pieces.start)?, inner);
        let starts = self.starts.get(pieces.clone())?;
        let piece = pieces.start + starts.partition_point(|start| *start <= position).checked_sub(1)?;
        let inner = relative(position, *self.starts.get(piece)?);
        let byte = byte_at(&self.base.pieces.get(piece)?.text, inner, self.encoding);
        Some(Place { stretch, piece, byte })
    }

    /// The position of the end of a stretch, if it began at the first line and column.
    fn extent(&self, stretch: &Stretch) -> Position {
        match stretch {
            Stretch::Typed(chunk) => chunk.end(self.encoding),
            Stretch::Kept(pieces) => match (self.starts.get(pieces.start), self.starts.get(pieces.end)) {
                (Some(start), Some(end)) => relative(*end, *start),
                _ => Position::default(),
            },
        }
    }

    fn replace(&mut self, from: Place, to: Place, text: &str) {
        let (mut new, mut behind) = (Vec::new(), None);
        let before = match self.stretches.get(from.stretch) {
            Some(Stretch::Kept(pieces)) => {
                new.push(Stretch::Kept(pieces.start..from.piece));
                self.text_of_piece(from.piece)
            }
            Some(Stretch::Typed(chunk)) => chunk.text.as_str(),
            None => "",
        };
        let after = match self.stretches.get(to.stretch) {
            Some(Stretch::Kept(pieces)) => {
                behind = Some(Stretch::Kept((to.piece + 1).min(pieces.end)..pieces.end));
                self.text_of_piece(to.piece)
            }
            Some(Stretch::Typed(chunk)) => chunk.text.as_str(),
            None => "",
        };
        let (before, after) =
            (before.get(..from.byte).unwrap_or_default(), after.get(to.byte..).unwrap_or_default());
        let whole = [before, text, after].concat();
        self.copied += whole.len();
        new.extend(chunks(&whole));
        new.extend(behind);
        new.retain(|stretch| !stretch.is_empty());
        self.stretches.splice(from.stretch..=to.stretch, new);
    }

    /// A whole text instead of this one, from a client that sends no ranges: the documents at its beginning and at its end
    /// that are those of the buffer keep what they mean.
    fn replace_all(&mut self, text: &str) {
        let (pieces, rest) = self.base.difference(text);
        self.copied += rest.len();
        let (first, last) =
            (Stretch::Kept(0..pieces.start), Stretch::Kept(pieces.end..self.base.pieces.len()));
        self.stretches = std::iter::once(first).chain(chunks(rest)).chain([last]).collect();
        self.stretches.retain(|stretch| !stretch.is_empty());
    }

    fn text_of_piece(&self, number: usize) -> &str {
        self.base.pieces.get(number).map_or("", |piece| piece.text.as_str())
    }
}

impl Stretch {
    fn is_empty(&self) -> bool {
        match self {
            Self::Kept(pieces) => pieces.is_empty(),
            Self::Typed(chunk) => chunk.text.is_empty(),
        }
    }
}

/// A text in chunks that end with a line where they can.
fn chunks(text: &str) -> impl Iterator<Item = Stretch> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len();
        if end > 2 * CHUNK_BYTES {
            end = CHUNK_BYTES;
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let line_end = memchr::memrchr(b'\n', rest.as_bytes().get(..end).unwrap_or_default());
            // A line break of two letters stays whole.
            let is_in_break = rest.as_bytes().get(end - 1) == Some(&b'\r');
            end = line_end.map_or(end - usize::from(is_in_break), |at| at + 1);
        }
        let (chunk, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(Stretch::Typed(Piece::unread(chunk.to_owned())))
    })
}

/// A position, seen from another one before it.
fn relative(position: Position, start: Position) -> Position {
    match position.line.checked_sub(start.line) {
        Some(0) | None => Position::new(0, position.character.saturating_sub(start.character)),
        Some(lines) => Position::new(lines, position.character),
    }
}
