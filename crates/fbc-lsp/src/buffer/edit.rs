//! Edits of a text in pieces: the documents that a change touches are cut and read again, and no others.

use std::ops::Range;
use std::sync::Arc;

use fbc_yaml::stream;

use super::{Buffer, Piece};
use crate::position::Encoding;

/// A change of a text: a range, or everything, and what stands there afterwards.
pub type Change = (Option<lsp_types::Range>, String);

/// Pieces that a change touches, the byte of the first where it begins, and the byte of the last where it ends.
struct Touched {
    pieces: Range<usize>,
    from: usize,
    to: usize,
}

/// A piece whose text has changed and has not been read yet, and what was there before.
struct Unread {
    number: usize,
    old: Vec<Arc<Piece>>,
}

impl Buffer {
    /// Makes changes one after another, each in the text that the one before leaves; the packages of the documents that
    /// changed, before and after. Of many changes in a row in one document, only what comes out is read.
    pub fn edit(&mut self, changes: impl IntoIterator<Item = Change>, encoding: Encoding) -> Vec<String> {
        let mut changed = Vec::new();
        let mut unread: Option<Unread> = None;
        for (range, text) in changes {
            let (mut touched, mut put) = self.touched(range, &text, encoding);
            if let Some(other) = unread.take_if(|other| !touched.pieces.contains(&other.number)) {
                self.read(other, &mut changed);
                (touched, put) = self.touched(range, &text, encoding);
            }
            unread = Some(self.replace(touched, put, unread));
        }
        if let Some(last) = unread {
            self.read(last, &mut changed);
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// What a change touches, and the text that is put there.
    fn touched<'t>(
        &self,
        range: Option<lsp_types::Range>,
        text: &'t str,
        encoding: Encoding,
    ) -> (Touched, &'t str) {
        let places = range
            .and_then(|range| Some((self.locate(range.start, encoding)?, self.locate(range.end, encoding)?)));
        match places {
            Some(((first, from), (last, to))) if (first, from) <= (last, to) => {
                (Touched { pieces: first..last + 1, from, to }, text)
            }
            _ => self.difference(text),
        }
    }

    /// A whole text instead of this one, from a client that sends no ranges: the documents between those that are the
    /// same at its beginning and at its end, so that the others keep what they meant.
    fn difference<'t>(&self, text: &'t str) -> (Touched, &'t str) {
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
        let to = self.pieces.get(..pieces.end).and_then(<[_]>::last).map_or(0, |piece| piece.text.len());
        (Touched { pieces, from: 0, to }, rest)
    }

    /// Changes the text, of which one piece is left where it was touched.
    fn replace(&mut self, touched: Touched, text: &str, unread: Option<Unread>) -> Unread {
        let Touched { pieces, from, to } = touched;
        let here = self.pieces.get(pieces.clone()).unwrap_or_default();
        let before = here.first().and_then(|piece| piece.text.get(..from)).unwrap_or_default();
        let behind = here.last().and_then(|piece| piece.text.get(to..)).unwrap_or_default();
        let new = Piece::unread([before, text, behind].concat());
        let old = match unread {
            None => here.to_vec(),
            Some(Unread { number, old }) => {
                let (before, rest) = here.split_at(number - pieces.start);
                [before, &old, rest.get(1..).unwrap_or_default()].concat()
            }
        };
        let number = pieces.start;
        self.pieces.splice(pieces, [Arc::new(new)]);
        Unread { number, old }
    }

    /// Cuts and reads what has changed, with what belongs to it now.
    fn read(&mut self, unread: Unread, changed: &mut Vec<String>) {
        let Unread { number, old } = unread;
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
        let here = |pieces: Range<usize>| self.pieces.get(pieces).unwrap_or_default();
        let old = [here(span.start..number), &old, here(number + 1..span.end)].concat();
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
