//! Anchors, aliases and tags.

use std::borrow::Cow;

use super::Mark;
use super::fault::width;
use super::scalar_text::ScalarText;
use super::scanner::{Scanned, Scanner};
use super::token::{Token, TokenKind};

/// Letters and digits as names have them.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// What may stand in a tag, besides `%` with its digits. `,`, `[` and `]` belong to it everywhere.
fn is_uri(byte: u8) -> bool {
    is_word(byte)
        || matches!(byte, b';' | b'/' | b'?' | b':' | b'@' | b'&' | b'=' | b'+' | b'$' | b',' | b'.' | b'!')
        || matches!(byte, b'~' | b'*' | b'\'' | b'(' | b')' | b'[' | b']')
}

fn context(is_directive: bool) -> &'static str {
    if is_directive { "while parsing a %TAG directive" } else { "while parsing a tag" }
}

impl<'t> Scanner<'t> {
    /// Reads `&anchor` or `*alias`.
    ///
    /// # Errors
    /// An empty name, and one that goes on with what no name has.
    pub(super) fn anchor(&mut self) -> Scanned<Token<'t>> {
        let start = self.reader.mark();
        let is_alias = self.reader.byte() == b'*';
        self.reader.skip();
        self.reader.need(1)?;
        self.reader.skip_while(is_word)?;
        let end = self.reader.mark();
        let name = self.reader.slice(start.byte + 1, end.byte);
        let ends_well = self.reader.is_blank_or_end_after(0)
            || matches!(self.reader.byte(), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends_well {
            let context = if is_alias { "while scanning an alias" } else { "while scanning an anchor" };
            return self.fail(context, start, "did not find expected alphabetic or numeric character");
        }
        let kind = if is_alias { TokenKind::Alias(name) } else { TokenKind::Anchor(name) };
        Ok(Token { kind, start, end })
    }

    /// Reads a tag: `!<all>`, `!handle!suffix`, `!suffix` or `!`.
    ///
    /// # Errors
    /// A tag without text, and one that does not end before a blank.
    pub(super) fn tag(&mut self) -> Scanned<Token<'t>> {
        let start = self.reader.mark();
        self.reader.need(2)?;
        let (handle, suffix) = if self.reader.byte_after(1) == b'<' {
            self.reader.skip();
            self.reader.skip();
            let at = self.reader.at();
            let suffix = self.tag_uri(false, start, at, false)?;
            if self.reader.byte() != b'>' {
                return self.fail("while scanning a tag", start, "did not find the expected '>'");
            }
            self.reader.skip();
            ("", suffix)
        } else {
            let handle = self.tag_handle(false, start)?;
            if handle.len() > 1 && handle.ends_with('!') {
                let at = self.reader.at();
                (handle, self.tag_uri(false, start, at, false)?)
            } else {
                // No handle after all: what was read is the beginning of the suffix.
                let suffix = self.tag_uri(false, start, start.byte + 1, true)?;
                if suffix.is_empty() { ("", Cow::Borrowed("!")) } else { ("!", suffix) }
            }
        };
        self.reader.need(1)?;
        if !self.reader.is_blank_or_end_after(0) {
            let problem = "did not find expected whitespace or line break";
            return self.fail("while scanning a tag", start, problem);
        }
        let end = self.reader.mark();
        Ok(Token { kind: TokenKind::Tag { handle, suffix }, start, end })
    }

    /// Reads `!`, `!!` or `!name!`; outside of a directive also `!name`.
    ///
    /// # Errors
    /// A missing `!`.
    pub(super) fn tag_handle(&mut self, is_directive: bool, start: Mark) -> Scanned<&'t str> {
        self.reader.need(1)?;
        let at = self.reader.at();
        if self.reader.byte() != b'!' {
            return self.fail(context(is_directive), start, "did not find expected '!'");
        }
        self.reader.skip();
        self.reader.need(1)?;
        self.reader.skip_while(is_word)?;
        if self.reader.byte() == b'!' {
            self.reader.skip();
        } else if is_directive && self.reader.at() != at + 1 {
            return self.fail(context(is_directive), start, "did not find expected '!'");
        }
        Ok(self.reader.slice(at, self.reader.at()))
    }

    /// Reads the text of a tag, of which the part from `first` on was read already. It may be empty
    /// only if something else of the tag was there.
    ///
    /// # Errors
    /// No text, and `%` without two digits or with bytes that are not UTF-8.
    pub(super) fn tag_uri(
        &mut self,
        is_directive: bool,
        start: Mark,
        first: usize,
        may_be_empty: bool,
    ) -> Scanned<Cow<'t, str>> {
        let mut text = ScalarText::new(self.reader.text());
        text.push_source(first..self.reader.at());
        self.reader.need(1)?;
        loop {
            let at = self.reader.at();
            self.reader.skip_while(is_uri)?;
            text.push_source(at..self.reader.at());
            if self.reader.byte() != b'%' {
                break;
            }
            self.tag_escape(is_directive, start, &mut text)?;
            self.reader.need(1)?;
        }
        if text.is_empty() && !may_be_empty {
            return self.fail(context(is_directive), start, "did not find expected tag URI");
        }
        Ok(text.finish())
    }

    /// Reads a character that is written as `%` and two digits for each of its bytes.
    fn tag_escape(&mut self, is_directive: bool, start: Mark, text: &mut ScalarText<'t>) -> Scanned<()> {
        let mut octets = Vec::new();
        let mut length = 1;
        while octets.len() < length {
            self.reader.need(3)?;
            let digit = |offset| char::from(self.reader.byte_after(offset)).to_digit(16);
            let octet = match (self.reader.byte(), digit(1), digit(2)) {
                (b'%', Some(high), Some(low)) => u8::try_from(high << 4 | low).unwrap_or_default(),
                _ => return self.fail(context(is_directive), start, "did not find URI escaped octet"),
            };
            if octets.is_empty() {
                length = width(octet);
                if length == 0 {
                    let problem = "found an incorrect leading UTF-8 octet";
                    return self.fail(context(is_directive), start, problem);
                }
            } else if octet & 0xC0 != 0x80 {
                return self.fail(context(is_directive), start, "found an incorrect trailing UTF-8 octet");
            }
            octets.push(octet);
            (0..3).for_each(|_| self.reader.skip());
        }
        // go-yaml keeps overlong forms and surrogates as bytes; no tag that means something has them.
        text.push_str(&String::from_utf8_lossy(&octets));
        Ok(())
    }
}
