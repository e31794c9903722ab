//! The characters of a text, one place in it, and what go-yaml would have read of it by now.
//!
//! go-yaml decodes its input in pieces of 512 bytes. That shows in two ways, both kept here: a
//! broken character is an error as soon as its piece is decoded, which comes before any error in
//! the text ahead of it; and a byte order mark means something only where a piece begins to be
//! used (see [`Reader::window_begins_with_mark`]). Source: `go-yaml/yaml:readerc.go` branch v2.
//!
//! So every look ahead is announced with [`Reader::need`], as go-yaml does, although the whole text
//! is at hand. It costs a comparison; a text without faults and further byte order marks counts as
//! decoded from the start.

use memchr::{memchr, memmem};

use super::Mark;
use super::error::EventError;
use super::fault::{Fault, valid_prefix, width};

/// How many bytes go-yaml takes from its input at a time.
const PIECE_BYTES: usize = 512;
const MARK: &[u8] = "\u{feff}".as_bytes();

pub(super) struct Reader<'t> {
    /// The text up to the first fault.
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
    is_ascii: bool,
    /// Whether lines end with line feeds only, which are quick to find.
    has_only_line_feeds: bool,
    /// The length of the input, fault or not.
    total: usize,
    fault: Option<Fault>,
    window: Window,
}

/// What go-yaml has decoded and not used yet: the text from the place of the reader to `decoded`.
struct Window {
    decoded: usize,
    /// How far the input was taken; behind `decoded` lies at most a part of a character.
    taken: usize,
    /// Whether taking more was tried at the end of the input.
    has_ended: bool,
    /// The end of the input counts as that many characters.
    ends: usize,
    begins_with_mark: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        let (text, fault) = valid_prefix(bytes);
        let at = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let total = bytes.len();
        let is_ascii = text.is_ascii();
        let has = |needle: &str| memmem::find(text.as_bytes(), needle.as_bytes()).is_some();
        let has_wide_breaks = !is_ascii && (has("\u{85}") || has("\u{2028}") || has("\u{2029}"));
        let inner = text.get(at..).unwrap_or_default();
        let is_plain = fault.is_none() && (is_ascii || !inner.contains('\u{feff}'));
        Self {
            text,
            at,
            line: 0,
            column: 0,
            is_ascii,
            has_only_line_feeds: !has_wide_breaks && !has("\r"),
            total,
            fault,
            window: Window {
                decoded: if is_plain { usize::MAX / 2 } else { at },
                // The byte order mark is looked for in the first piece.
                taken: total.min(PIECE_BYTES),
                has_ended: total < MARK.len(),
                ends: 0,
                begins_with_mark: false,
            },
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { byte: self.at, line: self.line, column: self.column }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn column(&self) -> usize {
        self.column
    }

    /// The byte here; 0, which no text holds, at the end.
    pub(super) fn byte(&self) -> u8 {
        self.byte_after(0)
    }

    pub(super) fn byte_after(&self, offset: usize) -> u8 {
        self.bytes().get(self.at + offset).copied().unwrap_or_default()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn is_at_blank(&self) -> bool {
        matches!(self.byte(), b' ' | b'\t')
    }

    pub(super) fn is_at_break(&self) -> bool {
        is_break(self.bytes(), self.at)
    }

    /// Whether a blank, a line break or the end comes that many bytes further on.
    pub(super) fn is_blank_or_end_after(&self, offset: usize) -> bool {
        is_blank_or_end(self.bytes(), self.at + offset)
    }

    /// Whether the characters that go-yaml decoded when it last ran out of them begin with U+FEFF.
    ///
    /// Kept on purpose: go-yaml takes the first character of every line for a byte order mark as
    /// long as this holds, and never otherwise (`go-yaml/yaml:yamlprivateh.go`, `is_bom`).
    pub(super) fn window_begins_with_mark(&self) -> bool {
        self.window.begins_with_mark
    }

    /// Announces that so many characters are going to be looked at.
    ///
    /// # Errors
    /// A fault in a piece of the input that must be decoded for that.
    #[inline]
    pub(super) fn need(&mut self, characters: usize) -> Result<(), EventError> {
        if self.at + 4 * characters <= self.window.decoded { Ok(()) } else { self.decode_for(characters) }
    }

    #[cold]
    fn decode_for(&mut self, characters: usize) -> Result<(), EventError> {
        if self.unread() >= characters {
            return Ok(());
        }
        self.window.begins_with_mark = self.bytes().get(self.at..).is_some_and(|rest| rest.starts_with(MARK));
        let mut must_take = self.window.decoded == self.window.taken;
        while self.unread() < characters {
            if must_take {
                if self.window.taken == self.total {
                    self.window.has_ended = true;
                } else {
                    self.window.taken = self.total.min(self.window.decoded + PIECE_BYTES);
                }
            }
            must_take = true;
            self.decode()?;
            if self.window.has_ended {
                self.window.ends += 1;
                break;
            }
        }
        Ok(())
    }

    /// Decodes all whole characters that were taken.
    fn decode(&mut self) -> Result<(), EventError> {
        let mut end = self.window.taken;
        if let Some(fault) = self.fault
            && fault.at < end
        {
            if fault.needed <= end || self.window.has_ended {
                return Err(EventError::reader(fault.problem, fault.at));
            }
            end = fault.at;
        }
        self.window.decoded = self.boundary_before(end).max(self.window.decoded);
        Ok(())
    }

    fn boundary_before(&self, mut at: usize) -> usize {
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn unread(&self) -> usize {
        self.window.ends
            + count_characters(self.bytes().get(self.at..self.window.decoded).unwrap_or_default())
    }

    /// Skips a character; the end of the text counts as one of no bytes.
    pub(super) fn skip(&mut self) {
        self.column += 1;
        match self.bytes().get(self.at) {
            Some(&first) => self.at += width(first),
            None => self.window.ends = self.window.ends.saturating_sub(1),
        }
    }

    /// Skips the characters up to the byte `end`, none of them a line break, and announces after
    /// each that `ahead` more are going to be looked at.
    ///
    /// # Errors
    /// As [`Self::need`].
    #[inline]
    pub(super) fn advance(&mut self, end: usize, ahead: usize) -> Result<(), EventError> {
        self.column += if self.is_ascii {
            end.saturating_sub(self.at)
        } else {
            count_characters(self.bytes().get(self.at..end).unwrap_or_default())
        };
        if end + 4 * ahead > self.window.decoded {
            self.decode_on_the_way(end, ahead)?;
        }
        self.at = end;
        Ok(())
    }

    #[cold]
    fn decode_on_the_way(&mut self, end: usize, ahead: usize) -> Result<(), EventError> {
        while self.window.ends < ahead {
            // The first place from which fewer characters than `ahead` are left.
            let mut place = self.window.decoded;
            for _ in self.window.ends + 1..ahead {
                place = self.boundary_before(place.saturating_sub(1));
            }
            let next = self.at + width(self.byte()).max(1);
            let place = place.max(next);
            if place > end {
                break;
            }
            self.at = place;
            self.need(ahead)?;
        }
        Ok(())
    }

    /// Skips blanks.
    ///
    /// # Errors
    /// As [`Self::need`].
    pub(super) fn skip_blanks(&mut self) -> Result<(), EventError> {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// Skips one-byte characters that are not line breaks.
    ///
    /// # Errors
    /// As [`Self::need`].
    pub(super) fn skip_while(&mut self, is_wanted: impl Fn(u8) -> bool) -> Result<(), EventError> {
        let rest = self.bytes().get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&byte| !is_wanted(byte)).unwrap_or(rest.len());
        self.advance(self.at + length, 1)
    }

    /// Skips to the next line break or the end.
    ///
    /// # Errors
    /// As [`Self::need`].
    pub(super) fn skip_to_break(&mut self) -> Result<(), EventError> {
        let end = self.line_end();
        self.advance(end, 1)
    }

    /// The byte of the next line break or of the end.
    pub(super) fn line_end(&self) -> usize {
        let bytes = self.bytes();
        let mut at = self.at;
        if self.has_only_line_feeds {
            let rest = bytes.get(at..).unwrap_or_default();
            return memchr(b'\n', rest).map_or(bytes.len(), |offset| at + offset);
        }
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2)) {
                None => return bytes.len(),
                Some(offset) if is_break(bytes, at + offset) => return at + offset,
                Some(offset) => at += offset + 1,
            }
        }
    }

    /// Skips a line break, if there is one, and returns what it means in a scalar: a line feed for
    /// CR, LF, CR LF and U+0085; U+2028 and U+2029 for themselves.
    pub(super) fn take_break(&mut self) -> &'t str {
        let (length, meaning) = match self.byte() {
            b'\n' => (1, "\n"),
            b'\r' if self.byte_after(1) == b'\n' => (2, "\n"),
            b'\r' => (1, "\n"),
            _ if !self.is_at_break() => return "",
            0xC2 => (2, "\n"),
            _ => (3, self.slice(self.at, self.at + 3)),
        };
        self.at += length;
        self.line += 1;
        self.column = 0;
        meaning
    }

    /// The end of the text ends its last line too.
    pub(super) fn finish_line(&mut self) {
        if self.column != 0 {
            self.column = 0;
            self.line += 1;
        }
    }
}

pub(super) fn is_break(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        Some(b'\n' | b'\r') => true,
        Some(0xC2) => bytes.get(at + 1) == Some(&0x85),
        Some(0xE2) => matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])),
        _ => false,
    }
}

pub(super) fn is_blank_or_end(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), None | Some(b' ' | b'\t')) || is_break(bytes, at)
}

fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn state(reader: &Reader<'_>) -> (usize, usize, usize, usize, usize, bool, bool) {
        let Window { decoded, taken, has_ended, ends, begins_with_mark } = reader.window;
        (reader.at, reader.column, decoded, taken, ends, has_ended, begins_with_mark)
    }

    proptest! {
        /// Skipping many characters at a time decodes the same pieces at the same places as
        /// skipping one after the other.
        #[test]
        fn steps_do_not_matter(
            words in prop::collection::vec("(a|é|\u{feff}|😀){0,90}", 10..40),
            ahead in prop::collection::vec(1_usize..5, 40),
            end in prop::option::of(prop::sample::select(vec![&b"\xFF"[..], b"\xE2\x82", b"\x01x"])),
        ) {
            let mut bytes = "\u{feff}".repeat(2).into_bytes();
            bytes.extend(words.concat().into_bytes());
            bytes.extend(end.unwrap_or_default());
            let (mut one, mut many) = (Reader::new(&bytes), Reader::new(&bytes));
            for reader in [&mut one, &mut many] {
                if reader.need(1).is_err() {
                    return Ok(());
                }
                reader.skip();
            }
            let mut end = many.at;
            for (word, &ahead) in words.iter().zip(&ahead) {
                end += word.len();
                let mut expected = Ok(());
                while expected.is_ok() && one.at < end {
                    one.skip();
                    expected = one.need(ahead);
                }
                let found = many.advance(end, ahead);
                prop_assert_eq!(&found, &expected);
                if found.is_err() {
                    break;
                }
                prop_assert_eq!(state(&many), state(&one));
            }
        }
    }
}
