//! A file whose documents change one by one.

use std::ops::Range;

use crate::document::Document;
use crate::json_reader;
use crate::stream::{self, Syntax};

use super::lines::{spliced, with_line_ends_of};
use super::{Change, EditError, text, value};

/// A file in pieces: its documents, and what stands between them.
#[derive(Clone, Debug)]
pub struct Editor {
    pieces: Vec<Piece>,
}

/// How a document is laid out that is to stand beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// JSON values one after another.
    Json,
    /// Documents behind `---` lines, written as block YAML.
    Yaml,
    /// Documents behind `---` lines, written as JSON.
    JsonInYaml,
}

#[derive(Clone, Debug)]
enum Piece {
    /// Separators and blank lines.
    Between(Vec<u8>),
    Document {
        bytes: Vec<u8>,
        syntax: Syntax,
        /// What the text says; nothing where it cannot be read.
        value: Option<Document>,
    },
}

impl Piece {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Between(bytes) | Self::Document { bytes, .. } => bytes,
        }
    }
}

/// The documents of a file as the loader sees them.
fn documents(bytes: &[u8]) -> Vec<(Range<usize>, Syntax, Option<Document>)> {
    let decoded = stream::read::<_, ()>(bytes, &|document| Ok(document));
    decoded.into_iter().map(|one| (one.range, one.syntax, one.outcome.ok())).collect()
}

/// The text of one document, and what it says, after changes that are made one after another.
///
/// # Errors
/// [`EditError`]
pub fn edited(bytes: &[u8], syntax: Syntax, changes: &[Change]) -> Result<(Vec<u8>, Document), EditError> {
    let mut state = (bytes.to_vec(), read(bytes, syntax).ok_or(EditError::NoDocument)?);
    for change in changes {
        state = changed(&state.0, syntax, &state.1, change)?;
    }
    Ok(state)
}

fn read(bytes: &[u8], syntax: Syntax) -> Option<Document> {
    match syntax {
        Syntax::Json => json_reader::read_value(bytes, 0).ok().map(|(document, _)| document),
        Syntax::Yaml => stream::read_one(bytes).ok(),
    }
}

/// A document after a change; its text must say what the change makes of its value.
fn changed(
    bytes: &[u8],
    syntax: Syntax,
    old: &Document,
    change: &Change,
) -> Result<(Vec<u8>, Document), EditError> {
    let not_found = || EditError::NotFound { pointer: change.pointer.clone() };
    let expected = value::changed(old, change).ok_or_else(not_found)?;
    let edited = spliced(bytes, &text::splices(bytes, syntax, change)?);
    if read(&edited, syntax).as_ref() != Some(&expected) {
        return Err(EditError::Unsupported { pointer: change.pointer.clone() });
    }
    Ok((edited, expected))
}

impl Editor {
    /// Takes a file apart. Documents are numbered as [`stream::read`] does.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let mut pieces = Vec::new();
        let mut at = 0;
        for (range, syntax, value) in documents(bytes) {
            let between = bytes.get(at..range.start).unwrap_or_default();
            if !between.is_empty() {
                pieces.push(Piece::Between(between.to_vec()));
            }
            at = range.end.max(at);
            let bytes = bytes.get(range).unwrap_or_default().to_vec();
            pieces.push(Piece::Document { bytes, syntax, value });
        }
        let rest = bytes.get(at..).unwrap_or_default();
        if !rest.is_empty() {
            pieces.push(Piece::Between(rest.to_vec()));
        }
        Self { pieces }
    }

    /// The number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.iter().filter(|piece| matches!(piece, Piece::Document { .. })).count()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place among the pieces of a document.
    fn piece_of(&self, document: usize) -> Option<usize> {
        let places = self.pieces.iter().enumerate();
        places.filter(|(_, piece)| matches!(piece, Piece::Document { .. })).nth(document).map(|(at, _)| at)
    }

    /// Changes a document.
    ///
    /// # Errors
    /// [`EditError`]; the document then is as it was.
    pub fn change(&mut self, document: usize, change: &Change) -> Result<(), EditError> {
        let at = self.piece_of(document).ok_or(EditError::NoDocument)?;
        let Some(Piece::Document { bytes, syntax, value: Some(old) }) = self.pieces.get_mut(at) else {
            return Err(EditError::NoDocument);
        };
        (*bytes, *old) = changed(bytes, *syntax, old, change)?;
        Ok(())
    }

    /// How a document has to be laid out that is to stand behind another; behind the last one of the file
    /// if there is none of that number.
    #[must_use]
    pub fn layout_behind(&self, document: usize) -> Layout {
        let at = self.piece_of(document).or_else(|| self.piece_of(self.len().checked_sub(1)?));
        match at.and_then(|at| self.pieces.get(at)) {
            Some(Piece::Document { syntax: Syntax::Json, .. }) => Layout::Json,
            Some(Piece::Document { bytes, .. }) if is_flow(bytes) => Layout::JsonInYaml,
            _ => Layout::Yaml,
        }
    }

    /// Puts a document behind another, or at the end of the file if there is none of that number. The
    /// text must be laid out as [`Editor::layout_behind`] says, without a `---` line.
    ///
    /// # Errors
    /// The text is not a document.
    pub fn insert_behind(&mut self, document: usize, text: &str) -> Result<(), EditError> {
        let layout = self.layout_behind(document);
        let value = stream::read_one(text.as_bytes()).map_err(|_| EditError::NoDocument)?;
        let place = self.piece_of(document).or_else(|| self.piece_of(self.len().checked_sub(1)?));
        let place = place.map_or(self.pieces.len(), |at| at + 1);
        let before: Vec<u8> =
            self.pieces.get(..place).unwrap_or_default().iter().flat_map(Piece::bytes).copied().collect();
        let (separator, text, syntax) = match layout {
            Layout::Json => ("\n", text.trim_end(), Syntax::Json),
            Layout::Yaml | Layout::JsonInYaml if before.is_empty() || before.ends_with(b"\n") => {
                ("---\n", text, Syntax::Yaml)
            }
            Layout::Yaml | Layout::JsonInYaml => ("\n---\n", text, Syntax::Yaml),
        };
        let bytes = with_line_ends_of(&before, text).into_bytes();
        let separator = with_line_ends_of(&before, separator).into_bytes();
        let new = [Piece::Between(separator), Piece::Document { bytes, syntax, value: Some(value) }];
        self.pieces.splice(place..place, new);
        Ok(())
    }

    /// Takes a document out, with the separator before it, or behind it if it is the first.
    ///
    /// # Errors
    /// There is no document of that number.
    pub fn remove(&mut self, document: usize) -> Result<(), EditError> {
        let at = self.piece_of(document).ok_or(EditError::NoDocument)?;
        let is_between = |piece: Option<&Piece>| matches!(piece, Some(Piece::Between(_)));
        let before = at.checked_sub(1).filter(|&before| is_between(self.pieces.get(before)));
        self.pieces.remove(at);
        match before {
            Some(before) if document > 0 => drop(self.pieces.remove(before)),
            _ if is_between(self.pieces.get(at)) && document < self.len() => drop(self.pieces.remove(at)),
            _ => {}
        }
        Ok(())
    }

    /// The file.
    ///
    /// # Errors
    /// It would not have the documents that it should.
    pub fn finish(self) -> Result<Vec<u8>, EditError> {
        let bytes: Vec<u8> = self.pieces.iter().flat_map(Piece::bytes).copied().collect();
        let expected = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Between(_) => None,
            Piece::Document { value, .. } => Some(value.as_ref()),
        });
        let documents = documents(&bytes);
        let is_as_expected = documents.iter().map(|(_, _, value)| value.as_ref()).eq(expected);
        if is_as_expected { Ok(bytes) } else { Err(EditError::Inconsistent) }
    }
}

/// Whether a YAML document is written in braces, behind comments and its `---` line.
fn is_flow(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines =
        lines.filter(|line| !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"---"));
    lines.next().is_some_and(|line| line.starts_with(b"{"))
}
