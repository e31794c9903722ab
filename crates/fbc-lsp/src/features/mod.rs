//! What editors ask about a place in a catalog.
//!
//! Every question is a pure function of a [`CatalogState`] and a place in it.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_lint::fix::FileEdit;
use fbc_model::{Catalog, Origin};
use fbc_yaml::locate::{At, Locator};
use fbc_yaml::stream::Syntax;
use lsp_types::{Location, Position, TextEdit, Url};

use crate::buffer::{Buffer, Piece};
use crate::catalog::{CatalogState, JudgedFile};
use crate::host::FileKind;
use crate::jobs::Stop;
use crate::position::{Encoding, position_of, shifted};

pub mod actions;
pub mod completion;
pub mod graph;
pub mod hover;
pub mod mentions;
pub mod outline;
pub mod schema;
pub mod templates;

/// The size of an icon, in characters of base64, beyond which it is not shown.
const MOST_ICON: usize = 64 << 10;

/// A place in a file.
#[derive(Clone, Debug)]
pub struct Cursor<'s> {
    /// The catalog, or what stands for one.
    pub state: &'s CatalogState,
    /// The file, relative to the catalog.
    pub path: &'s Path,
    /// What the file is. One that is not of a catalog is alone in its state.
    pub kind: FileKind,
    /// Its text.
    pub buffer: &'s Buffer,
    /// The number of the document.
    pub number: usize,
    /// The document.
    pub piece: &'s Arc<Piece>,
    /// The byte in it.
    pub byte: usize,
    /// What columns count.
    pub encoding: Encoding,
    /// Whether somebody still wants to know.
    pub stop: Stop,
}

impl<'s> Cursor<'s> {
    /// The place of a position; nothing in an empty file.
    #[must_use]
    pub fn new(
        state: &'s CatalogState,
        path: &'s Path,
        kind: FileKind,
        position: Position,
        encoding: Encoding,
    ) -> Option<Self> {
        let buffer = state.files.get(path)?.buffer.as_ref();
        let (number, byte) = buffer.locate(position, encoding)?;
        let piece = buffer.pieces.get(number)?;
        Some(Self { state, path, kind, buffer, number, piece, byte, encoding, stop: Stop::default() })
    }

    /// A package of the catalog, loaded; nothing of it if nobody waits for the answer any more.
    #[must_use]
    pub fn loaded(&self, package: &str) -> Loaded {
        match self.stop.is_set() {
            true => Loaded::default(),
            false => Loaded::of(self.state, package),
        }
    }

    /// What stands there.
    #[must_use]
    pub fn at(&self) -> Option<At> {
        locator(self.piece).at(self.byte)
    }

    /// The text of bytes of the document, without quotes.
    #[must_use]
    pub fn text(&self, range: &Range<usize>) -> &'s str {
        self.piece.text.get(unquoted(&self.piece.text, range)).unwrap_or_default()
    }

    /// The range of bytes of the document in the file.
    #[must_use]
    pub fn range(&self, bytes: Range<usize>) -> lsp_types::Range {
        self.buffer.range(self.number, bytes, self.encoding)
    }
}

/// The places of the values of a document.
#[must_use]
pub fn locator(piece: &Piece) -> Locator {
    let text = piece.text.as_str();
    let start = match text.starts_with("---") {
        true => text.find('\n').map_or(text.len(), |at| at + 1),
        false => 0,
    };
    let is_json = text.trim_start().starts_with('{');
    Locator::new(text.as_bytes(), start..text.len(), if is_json { Syntax::Json } else { Syntax::Yaml })
}

/// A scalar without its quotes.
#[must_use]
pub fn unquoted(text: &str, range: &Range<usize>) -> Range<usize> {
    let value = text.get(range.clone()).unwrap_or_default();
    match value.as_bytes() {
        [b'"', .., b'"'] | [b'\'', .., b'\''] => range.start + 1..range.end - 1,
        _ => range.clone(),
    }
}

/// A package of the catalog, loaded.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The blobs of the package.
    pub catalog: Catalog,
    /// Where they lie.
    pub files: Vec<JudgedFile>,
}

impl Loaded {
    /// Loads a package.
    #[must_use]
    pub fn of(state: &CatalogState, package: &str) -> Self {
        let (catalog, files) = state.package(package);
        Self { catalog, files }
    }

    /// The place of a value of a document.
    #[must_use]
    pub fn place(&self, origin: Origin, pointer: &str) -> Option<(PathBuf, Arc<Piece>, Range<usize>)> {
        let file = self.files.get(origin.file as usize)?;
        let document = file.info.documents.get(origin.document as usize)?;
        let after = file.pieces.partition_point(|(start, _)| *start <= document.range.start);
        let (start, piece) = file.pieces.get(after.checked_sub(1)?)?;
        let text = piece.meaning();
        let range = document.range.start - start..document.range.end.saturating_sub(*start).min(text.len());
        let found = Locator::new(text.as_bytes(), range, document.syntax).find(pointer);
        found.is_exact.then(|| (file.info.path.clone(), Arc::clone(piece), unquoted(text, &found.value)))
    }
}

/// A place as the protocol has it.
#[must_use]
pub fn location(
    state: &CatalogState,
    place: &(PathBuf, Arc<Piece>, Range<usize>),
    encoding: Encoding,
) -> Option<Location> {
    let (path, piece, bytes) = place;
    let buffer = state.files.get(path)?.buffer.as_ref();
    let number = buffer.pieces.iter().position(|other| Arc::ptr_eq(other, piece))?;
    Some(Location::new(url(state, path)?, buffer.range(number, bytes.clone(), encoding)))
}

/// The address of a file of a catalog.
#[must_use]
pub fn url(state: &CatalogState, path: &Path) -> Option<Url> {
    Url::from_file_path(state.root.join(path)).ok()
}

/// The edits of a fix in a file that was judged; nothing if its text is another one by now.
#[must_use]
pub fn text_edits(
    state: &CatalogState,
    files: &[JudgedFile],
    edit: &FileEdit,
    encoding: Encoding,
) -> Option<(Url, Vec<TextEdit>)> {
    let file = files.iter().find(|file| file.info.path == edit.path)?;
    let buffer = state.files.get(&edit.path)?.buffer.as_ref();
    let starts = buffer.starts(encoding);
    let mut edits = Vec::new();
    for replacement in &edit.replacements {
        let position = |byte: usize, is_end: bool| -> Option<Position> {
            let after = match is_end {
                // The end of a document is in it, not in the next one.
                true => file.pieces.partition_point(|(start, _)| *start < byte).max(1),
                false => file.pieces.partition_point(|(start, _)| *start <= byte),
            };
            let (start, piece) = file.pieces.get(after.checked_sub(1)?)?;
            if piece.good.is_some() {
                return None;
            }
            let number = buffer.pieces.iter().position(|other| Arc::ptr_eq(other, piece))?;
            Some(shifted(*starts.get(number)?, position_of(&piece.text, byte - start, encoding)))
        };
        let start = position(replacement.bytes.start, replacement.bytes.is_empty())?;
        let end = if replacement.bytes.is_empty() { start } else { position(replacement.bytes.end, true)? };
        edits.push(TextEdit::new(lsp_types::Range::new(start, end), replacement.text.clone()));
    }
    Some((url(state, &edit.path)?, edits))
}
