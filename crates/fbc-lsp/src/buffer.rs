//! The text of a file in pieces, one for each document, so that an edit costs what its document costs.
//!
//! Pieces are cut as the loader cuts (`cut`). All pieces together are the text. A piece that cannot be read keeps the
//! last text that could.

use std::sync::Arc;

use fbc_model::meta;
use fbc_yaml::stream::{self, Fault, Syntax};
use lsp_types::{Position, Range};
use rayon::prelude::*;

use crate::position::{Encoding, byte_at, position_of, shifted};

mod cut;
mod draft;
mod edit;

pub use draft::{CHUNK_BYTES, Draft};
pub use edit::Change;

/// A document with what stands before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// The line breaks in it.
    pub lines: u32,
    /// The columns of what stands behind the last of them, in bytes and in units of UTF-16: documents of JSON may be one
    /// long line each.
    last_columns: [u32; 2],
    /// What kind of document it is.
    pub about: About,
    /// Where it cannot be read, and why.
    pub fault: Option<TextFault>,
    /// The last text that could be read, while this one cannot.
    pub good: Option<Arc<str>>,
    /// Whether there is a document, be it broken, and not only white space and comments.
    pub has_document: bool,
}

/// What a document says of itself; empty where it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The schema.
    pub schema: String,
    /// The package that it belongs to, or is.
    pub package: String,
    /// The name.
    pub name: String,
}

/// Where a text breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFault {
    /// Why.
    pub message: String,
    /// The byte of the piece.
    pub byte: usize,
}

impl Piece {
    /// A document, read.
    fn new(text: String, is_json: bool) -> Self {
        let mut piece = Self::unread(text);
        let mut is_yaml = false;
        for decoded in stream::read(piece.text.as_bytes(), &|document| meta::read(document.root())) {
            is_yaml |= decoded.syntax == Syntax::Yaml;
            piece.has_document |= !matches!(decoded.outcome, Err(Fault::Separator { .. }));
            match decoded.outcome {
                Ok(meta) => {
                    let is_package = meta.schema == fbc_model::blob::schema::PACKAGE;
                    let package = if is_package { meta.name.clone() } else { meta.package };
                    piece.about = About { schema: meta.schema, package, name: meta.name };
                }
                Err(Fault::Malformed { message, byte }) => piece.fault = Some(TextFault { message, byte }),
                Err(Fault::Separator { .. } | Fault::Rejected(_)) => {}
            }
        }
        if is_json && is_yaml && piece.fault.is_none() {
            piece.fault = cut::fault_of_values(&piece.text);
        }
        piece
    }

    /// A text of which only the size is known.
    pub(crate) fn unread(text: String) -> Self {
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u32;
        let last_line = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |at| at + 1);
        let last_line = text.get(last_line..).unwrap_or_default();
        let last_columns = [last_line.len() as u32, last_line.encode_utf16().count() as u32];
        Self { text, lines, last_columns, ..Self::default() }
    }

    /// The position of its end, if it began at the first line and column.
    #[must_use]
    pub fn end(&self, encoding: Encoding) -> Position {
        let [bytes, units] = self.last_columns;
        let column = match encoding {
            Encoding::Utf8 => bytes,
            Encoding::Utf16 => units,
        };
        Position::new(self.lines, column)
    }

    /// The text that means something: the last one that could be read.
    #[must_use]
    pub fn meaning(&self) -> &str {
        self.good.as_deref().unwrap_or(&self.text)
    }

    /// Whether it is nothing but a separator line.
    #[must_use]
    pub fn is_separator(&self) -> bool {
        self.lines == 1 && self.text.starts_with("---") && self.text.ends_with('\n')
    }

    /// Whether there is nothing but separators, comments and white space, which means nothing that could be kept.
    fn is_blank(&self) -> bool {
        let blank = |text: &str| text.is_empty() || text.starts_with('#');
        self.text.lines().all(|line| blank(line.strip_prefix("---").unwrap_or(line).trim()))
    }

    /// Keeps what an earlier state of the document meant, if this one means nothing.
    fn remember(&mut self, old: &Self) {
        if self.fault.is_none() {
            return;
        }
        let good = match &old.fault {
            None if old.is_blank() => None,
            None => Some(Arc::from(old.text.as_str())),
            Some(_) => old.good.clone(),
        };
        if good.is_some() {
            self.good = good;
            self.about = old.about.clone();
        }
    }
}

/// A text in pieces.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// The pieces.
    pub pieces: Vec<Arc<Piece>>,
    is_json: bool,
}

impl Buffer {
    /// Cuts and reads a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::read_as(text, cut::is_json(text))
    }

    fn read_as(text: &str, is_json: bool) -> Self {
        let texts = cut::documents(text, is_json);
        let pieces =
            texts.into_par_iter().map(|text| Arc::new(Piece::new(text.to_owned(), is_json))).collect();
        Self { pieces, is_json }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Whether it is a sequence of JSON values, and not YAML.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.is_json
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.text.len()).sum()
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The line with which each piece begins, and the column where that is not 0: JSON values may share a line.
    #[must_use]
    pub fn start_of(&self, piece: usize, encoding: Encoding) -> Position {
        let before = self.pieces.get(..piece).unwrap_or_default();
        let line = before.iter().map(|piece| piece.lines).sum();
        let mut column = 0;
        for piece in before.iter().rev() {
            let end = piece.end(encoding);
            column += end.character;
            if end.line > 0 {
                break;
            }
        }
        Position::new(line, column)
    }

    /// The position with which each piece begins.
    #[must_use]
    pub fn starts(&self, encoding: Encoding) -> Vec<Position> {
        let mut starts = Vec::with_capacity(self.pieces.len());
        let mut start = Position::new(0, 0);
        for piece in &self.pieces {
            starts.push(start);
            start = shifted(start, piece.end(encoding));
        }
        starts
    }

    /// The position of a byte of a piece.
    #[must_use]
    pub fn position(&self, piece: usize, byte: usize, encoding: Encoding) -> Position {
        let text = self.pieces.get(piece).map_or("", |piece| piece.text.as_str());
        shifted(self.start_of(piece, encoding), position_of(text, byte, encoding))
    }

    /// The range of bytes of a piece.
    #[must_use]
    pub fn range(&self, piece: usize, bytes: std::ops::Range<usize>, encoding: Encoding) -> Range {
        Range::new(self.position(piece, bytes.start, encoding), self.position(piece, bytes.end, encoding))
    }

    /// The piece of a position, and the byte in it; the end of the text for what lies behind it.
    #[must_use]
    pub fn locate(&self, position: Position, encoding: Encoding) -> Option<(usize, usize)> {
        let mut start = Position::new(0, 0);
        for (number, piece) in self.pieces.iter().enumerate() {
            let end = shifted(start, piece.end(encoding));
            let is_last = number + 1 == self.pieces.len();
            if position < end || is_last {
                let column = if position.line == start.line {
                    position.character.saturating_sub(start.character)
                } else {
                    position.character
                };
                let inner = Position::new(position.line.saturating_sub(start.line), column);
                return Some((number, byte_at(&piece.text, inner, encoding)));
            }
            start = end;
        }
        None
    }
}

#[cfg(test)]
mod tests;
