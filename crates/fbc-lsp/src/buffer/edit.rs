//! Edits of a text in pieces: the documents that a change touches are cut and read again, and no others.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use fbc_yaml::stream;

use super::{Buffer, Draft, Piece};
use crate::position::Encoding;

/// A change of a text: a range, or everything, and what stands there afterwards.
pub type Change = (Option<lsp_types::Range>, String);

/// Pieces whose text has changed and has not been read yet, by number, with what was there before.
pub(super) type Unread = BTreeMap<usize, Vec<Arc<Piece>>>;

impl Buffer {
    /// Makes changes one after another, each in the text that the one before leaves; the packages of the documents that
    /// changed, before and after. Only what comes out of all of them is read.
    pub fn edit(&mut self, changes: impl IntoIterator<Item = Change>, encoding: Encoding) -> Vec<String> {
        let mut draft = Draft::new(std::mem::take(self), 0, encoding);
        changes.into_iter().for_each(|(range, text)| draft.apply(range, &text));
        let (buffer, changed) = draft.settle();
        *self = buffer;
        changed
    }

    /// The documents of which a text has others, between those that are the same at its beginning and at its end, and what
    /// it has there.
    pub(super) fn difference<'t>(&self, text: &'t str) -> (Range<usize>, &'t str) {
        let (mut rest, mut pieces) = (text, 0..self.pieces.len());
        for piece in self.pieces.iter().take(self.pieces.len().saturating_sub(1)) {
            let Some(behind) = rest.strip_prefix(piece.text.as_str()) else { break };
            (rest, pieces.start) = (behind, pieces.start + 1);
        }
        while pieces.len() > 1 {
            let last = self.pieces.get(pieces.end - 1);
            let Some(before) = last.and_then(|piece| rest.strip_suffix(piece.text.as_str())) else { break };
            (rest, pieces.end) = (before, pieces.end - 1);
        }
        (pieces, rest)
    }

    /// Cuts and reads what has changed, from the last piece on: the numbers of those before stay what they are.
    pub(super) fn read_all(&mut self, mut unread: Unread) -> Vec<String> {
        let mut changed = Vec::new();
        while let Some((number, _)) = unread.last_key_value() {
            self.read(*number, &mut unread, &mut changed);
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Cuts and reads a piece with what belongs to it now.
    fn read(&mut self, number: usize, unread: &mut Unread, changed: &mut Vec<String>) {
        let mut span =
            if self.is_json { self.without_blank_piece(number) } else { self.joined_by_lines(number) };
        let mut new = self.cut(span.clone());
        if self.is_json && new.pieces.iter().any(|piece| piece.fault.is_some()) {
            let wider = self.joined_by_values(number, &new.pieces);
            let joined = self.cut(wider.clone());
            if !joined.is_json || joined.pieces.iter().all(|piece| piece.fault.is_none()) {
                (span, new) = (wider, joined);
            }
        }
        let mut old = Vec::new();
        for (number, piece) in self.pieces.iter().enumerate().take(span.end).skip(span.start) {
            old.extend(unread.remove(&number).unwrap_or_else(|| vec![Arc::clone(piece)]));
        }
        // The piece itself is in the span; without it, this would not end.
        unread.remove(&number);
        remember(&mut new.pieces, &old);
        changed.extend(old.iter().chain(&new.pieces).map(|piece| piece.about.package.clone()));
        self.pieces.splice(span, new.pieces);
        self.is_json = new.is_json;
    }

    /// Pieces cut and read anew; all of them together may turn out to be written otherwise.
    fn cut(&self, span: Range<usize>) -> Self {
        let is_whole = span == (0..self.pieces.len());
        let pieces = self.pieces.get(span).unwrap_or_default();
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        if is_whole { Self::new(&text) } else { Self::read_as(&text, self.is_json) }
    }

    /// A piece of YAML with those it has become one with: what does not begin with a separator belongs to the document
    /// before, and what does not end its line takes in the separator behind it.
    fn joined_by_lines(&self, number: usize) -> Range<usize> {
        let text = |number: usize| self.pieces.get(number).map_or("", |piece| piece.text.as_str());
        let mut span = number..number + 1;
        while span.start > 0 && !text(span.start).starts_with("---") {
            span.start -= 1;
        }
        let goes_on = |text: &str| !text.is_empty() && !text.ends_with('\n');
        while span.end < self.pieces.len() && goes_on(text(span.end - 1)) {
            span.end += 1;
        }
        span
    }

    /// A piece of JSON; with one beside it if nothing but white space is left of it, which belongs to that then.
    fn without_blank_piece(&self, number: usize) -> Range<usize> {
        let is_blank = self.pieces.get(number).is_some_and(|piece| piece.text.trim().is_empty());
        let end = if is_blank { (number + 2).min(self.pieces.len()) } else { number + 1 };
        let start = if is_blank && end == number + 1 { number.saturating_sub(1) } else { number };
        start..end
    }

    /// A piece of JSON that is broken now, with those that it may become whole with: its neighbors, if they are broken
    /// too. With a separator among the documents that the loader would read as YAML, it is everything.
    fn joined_by_values(&self, number: usize, read: &[Arc<Piece>]) -> Range<usize> {
        if number < stream::YAML_FALLBACK_DOCUMENTS && read.iter().any(|piece| piece.text.contains("\n---")) {
            return 0..self.pieces.len();
        }
        let is_broken = |number: usize| self.pieces.get(number).is_some_and(|piece| piece.fault.is_some());
        let start = number.checked_sub(1).filter(|before| is_broken(*before)).unwrap_or(number);
        let end = if is_broken(number + 1) { number + 2 } else { number + 1 };
        start..end
    }
}

/// What stands where documents stood keeps their meaning, if it is as many.
fn remember(new: &mut [Arc<Piece>], old: &[Arc<Piece>]) {
    if new.len() == old.len() {
        new.iter_mut().zip(old).for_each(|(piece, old)| Arc::make_mut(piece).remember(old));
    } else if let ([piece], [old, ..]) = (new, old) {
        Arc::make_mut(piece).remember(old);
    }
}
