//! The text of a file in pieces, one for each document, so that an edit costs what its document costs.
//!
//! Pieces are cut as the loader cuts: YAML at lines that begin with `---`, JSON behind each value. All pieces together
//! are the text. A piece that cannot be read keeps the last text that could.

use std::sync::Arc;

use fbc_model::meta;
use fbc_yaml::json_reader;
use fbc_yaml::stream::{self, Fault};
use lsp_types::{Position, Range};
use rayon::prelude::*;

use crate::position::{Encoding, byte_at, position_of, shifted};

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
    fn new(text: String) -> Self {
        let (mut about, mut fault, mut has_document) = (About::default(), None, false);
        for decoded in stream::read(text.as_bytes(), &|document| meta::read(document.root())) {
            has_document |= !matches!(decoded.outcome, Err(Fault::Separator { .. }));
            match decoded.outcome {
                Ok(meta) => {
                    let is_package = meta.schema == fbc_model::blob::schema::PACKAGE;
                    let package = if is_package { meta.name.clone() } else { meta.package };
                    about = About { schema: meta.schema, package, name: meta.name };
                }
                Err(Fault::Malformed { message, byte }) => fault = Some(TextFault { message, byte }),
                Err(Fault::Separator { .. } | Fault::Rejected(_)) => {}
            }
        }
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u32;
        let last_line = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |at| at + 1);
        let last_line = text.get(last_line..).unwrap_or_default();
        let last_columns = [last_line.len() as u32, last_line.encode_utf16().count() as u32];
        Self { text, lines, last_columns, about, fault, good: None, has_document }
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
    /// Cuts a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let json = if text.trim_start().starts_with('{') { json_values(text) } else { None };
        let is_json = json.is_some();
        let texts = json.unwrap_or_else(|| yaml_documents(text));
        let pieces = texts.into_par_iter().map(|text| Arc::new(Piece::new(text.to_owned()))).collect();
        Self { pieces, is_json }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
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

    /// Replaces a range, or everything; the packages of the documents that changed, before and after.
    pub fn edit(&mut self, range: Option<Range>, text: &str, encoding: Encoding) -> Vec<String> {
        let places = range
            .and_then(|range| Some((self.locate(range.start, encoding)?, self.locate(range.end, encoding)?)));
        let Some(((first, from), (last, to))) = places.filter(|(start, end)| start <= end) else {
            return self.replace_all(text);
        };
        let (mut first, mut last) = (first, last);
        let part = |piece: usize, range: std::ops::Range<usize>| -> &str {
            self.pieces.get(piece).and_then(|piece| piece.text.get(range)).unwrap_or_default()
        };
        let end = self.pieces.get(last).map_or(0, |piece| piece.text.len());
        let mut new = [part(first, 0..from), text, part(last, to..end)].concat();
        if !self.is_json {
            // What no longer begins with a separator belongs to the document before, and what no longer ends its line
            // takes in the separator behind it.
            while first > 0 && !new.starts_with("---") {
                first -= 1;
                new.insert_str(0, self.pieces.get(first).map_or("", |piece| piece.text.as_str()));
            }
            while !new.is_empty() && !new.ends_with('\n') && last + 1 < self.pieces.len() {
                last += 1;
                new.push_str(self.pieces.get(last).map_or("", |piece| piece.text.as_str()));
            }
        }
        let cut = if self.is_json { json_values(&new) } else { Some(yaml_documents(&new)) };
        let texts = match cut {
            Some(texts) => texts,
            // A value that is broken; if another one is, both may be one by now.
            None if self
                .pieces
                .iter()
                .enumerate()
                .any(|(at, piece)| !(first..=last).contains(&at) && piece.fault.is_some()) =>
            {
                let whole = [
                    self.pieces
                        .get(..first)
                        .unwrap_or_default()
                        .iter()
                        .map(|piece| piece.text.as_str())
                        .collect::<String>(),
                    new,
                    self.pieces
                        .get(last + 1..)
                        .unwrap_or_default()
                        .iter()
                        .map(|piece| piece.text.as_str())
                        .collect(),
                ]
                .concat();
                return self.replace_all(&whole);
            }
            None => vec![new.as_str()],
        };
        let mut pieces: Vec<Piece> = texts.into_iter().map(|text| Piece::new(text.to_owned())).collect();
        let old: Vec<Arc<Piece>> = self.pieces.get(first..=last).unwrap_or_default().to_vec();
        remember(&mut pieces, &old);
        let packages = |pieces: &mut dyn Iterator<Item = &Piece>| -> Vec<String> {
            pieces.map(|piece| piece.about.package.clone()).collect()
        };
        let mut changed = packages(&mut old.iter().map(AsRef::as_ref));
        changed.extend(packages(&mut pieces.iter()));
        self.pieces.splice(first..=last, pieces.into_iter().map(Arc::new));
        if self.is_json != self.text_begins_as_json() && (self.is_json || first == 0) {
            let whole = self.text();
            if self.is_json || json_values(&whole).is_some() {
                return self.replace_all(&whole);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    fn text_begins_as_json(&self) -> bool {
        self.pieces
            .iter()
            .map(|piece| piece.text.trim_start())
            .find(|text| !text.is_empty())
            .is_none_or(|text| text.starts_with('{'))
    }

    fn replace_all(&mut self, text: &str) -> Vec<String> {
        let mut new = Self::new(text);
        if new.pieces.len() == self.pieces.len() {
            for (piece, old) in new.pieces.iter_mut().zip(&self.pieces) {
                Arc::make_mut(piece).remember(old);
            }
        }
        let mut changed: Vec<String> =
            self.pieces.iter().chain(&new.pieces).map(|piece| piece.about.package.clone()).collect();
        changed.sort_unstable();
        changed.dedup();
        *self = new;
        changed
    }
}

/// What stands where documents stood keeps their meaning, if it is as many.
fn remember(new: &mut [Piece], old: &[Arc<Piece>]) {
    if new.len() == old.len() {
        new.iter_mut().zip(old).for_each(|(piece, old)| piece.remember(old));
    } else if let ([piece], [old, ..]) = (new, old) {
        piece.remember(old);
    }
}

/// Documents behind `---` lines.
fn yaml_documents(text: &str) -> Vec<&str> {
    let mut documents = Vec::new();
    let mut start = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), b"\n---") {
        documents.push(text.get(start..=at).unwrap_or_default());
        start = at + 1;
    }
    if start < text.len() {
        documents.push(text.get(start..).unwrap_or_default());
    }
    documents
}

/// JSON values, each with the white space before it and, at the end, behind it; nothing unless there is nothing else.
fn json_values(text: &str) -> Option<Vec<&str>> {
    let bytes = text.as_bytes();
    let mut values = Vec::new();
    let mut at = 0;
    loop {
        let start = json_reader::skip_space(bytes, at);
        if start >= bytes.len() {
            match values.pop() {
                Some((first, _)) => values.push((first, bytes.len())),
                None => values.push((0, bytes.len())),
            }
            return values.into_iter().map(|(first, last)| text.get(first..last)).collect();
        }
        let (_, end) = json_reader::read_value(bytes, start).ok()?;
        values.push((at, end));
        at = end;
    }
}

#[cfg(test)]
mod tests;
