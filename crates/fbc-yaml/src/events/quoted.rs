//! Scalars in single or double quotes: escapes, and lines folded into one.

use super::Style;
use super::reader::is_break;
use super::scalar_text::{Fold, ScalarText};
use super::scanner::{Scanned, Scanner};
use super::token::{Token, TokenKind};

const READING: &str = "while scanning a quoted scalar";
const READING_ESCAPE: &str = "while parsing a quoted scalar";

impl<'t> Scanner<'t> {
    /// Reads a quoted scalar.
    ///
    /// # Errors
    /// No closing quote before the end or a document indicator, and escapes that mean nothing.
    pub(super) fn quoted_scalar(&mut self) -> Scanned<Token<'t>> {
        let start = self.reader.mark();
        let quote = self.reader.byte();
        let mut text = ScalarText::new(self.reader.text());
        let mut fold = Fold::default();
        self.reader.skip();
        loop {
            self.reader.need(4)?;
            if self.is_at_document_indicator() {
                return self.fail(READING, start, "found unexpected document indicator");
            }
            if self.reader.is_at_end() {
                return self.fail(READING, start, "found unexpected end of stream");
            }
            let mut has_break = self.quoted_word(start, quote, &mut text)?;
            self.reader.need(1)?;
            if self.reader.byte() == quote {
                break;
            }
            let mut blanks = self.reader.at()..self.reader.at();
            loop {
                if self.reader.is_at_blank() {
                    self.reader.skip();
                    blanks.end = self.reader.at();
                } else if self.reader.is_at_break() {
                    self.reader.need(2)?;
                    let meaning = self.reader.take_break();
                    if has_break {
                        fold.push(meaning);
                    } else {
                        fold.push_first(meaning);
                        has_break = true;
                    }
                } else {
                    break;
                }
                self.reader.need(1)?;
            }
            if has_break {
                fold.join(&mut text);
            } else {
                text.push_source(blanks);
            }
        }
        self.reader.skip();
        let style = if quote == b'\'' { Style::SingleQuoted } else { Style::DoubleQuoted };
        let end = self.reader.mark();
        Ok(Token { kind: TokenKind::Scalar { value: text.finish(), style }, start, end })
    }

    /// Reads up to a blank, a line break, the end or the closing quote. Returns whether an escaped
    /// line break ended it.
    fn quoted_word(&mut self, start: super::Mark, quote: u8, text: &mut ScalarText<'t>) -> Scanned<bool> {
        loop {
            let run = self.reader.at()..self.quoted_run_end(quote);
            if !run.is_empty() {
                self.reader.advance(run.end, 2)?;
                text.push_source(run);
            }
            let at = self.reader.at();
            match self.reader.byte() {
                b'\'' if quote == b'\'' && self.reader.byte_after(1) == b'\'' => {
                    text.push_source(at..at + 1);
                    self.reader.skip();
                    self.reader.skip();
                }
                b'\\' if quote == b'"' && is_break(self.reader.bytes(), at + 1) => {
                    self.reader.need(3)?;
                    self.reader.skip();
                    self.reader.take_break();
                    return Ok(true);
                }
                b'\\' if quote == b'"' => self.escape(start, text)?,
                _ => return Ok(false),
            }
            self.reader.need(2)?;
        }
    }

    /// Where the characters end that mean themselves and are not blanks.
    fn quoted_run_end(&self, quote: u8) -> usize {
        let bytes = self.reader.bytes();
        let mut at = self.reader.at();
        while let Some(&byte) = bytes.get(at) {
            let is_end = match byte {
                b'\\' => quote == b'"',
                b' ' | b'\t' | b'\n' | b'\r' => true,
                0xC2 | 0xE2 => is_break(bytes, at),
                byte => byte == quote,
            };
            if is_end {
                break;
            }
            at += 1;
        }
        at
    }

    /// Reads a backslash and what belongs to it. There is no `\/`, which JSON has and libyaml took
    /// up later; but there is `\'`.
    fn escape(&mut self, start: super::Mark, text: &mut ScalarText<'t>) -> Scanned<()> {
        let mut digits = 0;
        match self.reader.byte_after(1) {
            b'0' => text.push('\0'),
            b'a' => text.push('\u{7}'),
            b'b' => text.push('\u{8}'),
            b't' | b'\t' => text.push('\t'),
            b'n' => text.push('\n'),
            b'v' => text.push('\u{b}'),
            b'f' => text.push('\u{c}'),
            b'r' => text.push('\r'),
            b'e' => text.push('\u{1b}'),
            b' ' => text.push(' '),
            b'"' => text.push('"'),
            b'\'' => text.push('\''),
            b'\\' => text.push('\\'),
            b'N' => text.push('\u{85}'),
            b'_' => text.push('\u{a0}'),
            b'L' => text.push('\u{2028}'),
            b'P' => text.push('\u{2029}'),
            b'x' => digits = 2,
            b'u' => digits = 4,
            b'U' => digits = 8,
            _ => return self.fail(READING_ESCAPE, start, "found unknown escape character"),
        }
        self.reader.skip();
        self.reader.skip();
        if digits == 0 {
            return Ok(());
        }
        self.reader.need(digits)?;
        let mut code = 0;
        for offset in 0..digits {
            let Some(digit) = char::from(self.reader.byte_after(offset)).to_digit(16) else {
                return self.fail(READING_ESCAPE, start, "did not find expected hexdecimal number");
            };
            code = code << 4 | digit;
        }
        let Some(character) = char::from_u32(code) else {
            return self.fail(READING_ESCAPE, start, "found invalid Unicode character escape code");
        };
        text.push(character);
        (0..digits).for_each(|_| self.reader.skip());
        Ok(())
    }
}
