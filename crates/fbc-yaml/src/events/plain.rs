//! Plain scalars: text without quotes, folded over lines.

use super::Style;
use super::reader::{is_blank_or_end, is_break};
use super::scalar_text::{Fold, ScalarText};
use super::scanner::{Scanned, Scanner};
use super::token::{Token, TokenKind};

/// Bytes at which a word may end, or that begin a character at which it may.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let bytes = b" \t\r\n:,?[]{}\xC2\xE2";
    let mut index = 0;
    while index < bytes.len() {
        ends[bytes[index] as usize] = true;
        index += 1;
    }
    ends
};

impl<'t> Scanner<'t> {
    /// Reads a plain scalar.
    ///
    /// # Errors
    /// A tab in the indentation of a continuation line.
    pub(super) fn plain_scalar(&mut self) -> Scanned<Token<'t>> {
        let start = self.reader.mark();
        let mut end = start;
        let least_column = self.indent.map_or(0, |indent| indent + 1);
        let mut text = ScalarText::new(self.reader.text());
        let mut fold = Fold::default();
        let mut has_break = false;
        let mut blanks = 0..0;
        loop {
            self.reader.need(4)?;
            if self.is_at_document_indicator() || self.reader.byte() == b'#' {
                break;
            }
            let word = self.reader.at()..self.word_end();
            if !word.is_empty() {
                if has_break {
                    fold.join(&mut text);
                    has_break = false;
                } else {
                    text.push_source(blanks);
                }
                self.reader.advance(word.end, 2)?;
                text.push_source(word);
                end = self.reader.mark();
            }
            blanks = self.reader.at()..self.reader.at();
            if !self.reader.is_at_blank() && !self.reader.is_at_break() {
                break;
            }
            self.reader.need(1)?;
            loop {
                if self.reader.is_at_blank() {
                    if has_break && self.reader.byte() == b'\t' && self.reader.column() < least_column {
                        return self.fail(
                            "while scanning a plain scalar",
                            start,
                            "found a tab character that violates indentation",
                        );
                    }
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
            if !self.is_in_flow() && self.reader.column() < least_column {
                break;
            }
        }
        if has_break {
            self.may_begin_key = true;
        }
        Ok(Token { kind: TokenKind::Scalar { value: text.finish(), style: Style::Plain }, start, end })
    }

    /// Where the characters end that may stand together in a plain scalar.
    ///
    /// In a flow collection `?` ends it wherever it stands, and `:` only before a blank, otherwise
    /// than in libyaml today.
    fn word_end(&self) -> usize {
        let bytes = self.reader.bytes();
        let is_in_flow = self.is_in_flow();
        let mut at = self.reader.at();
        while let Some(&byte) = bytes.get(at) {
            if ENDS[usize::from(byte)] {
                let is_end = match byte {
                    b':' => is_blank_or_end(bytes, at + 1),
                    b' ' | b'\t' => true,
                    b',' | b'?' | b'[' | b']' | b'{' | b'}' => is_in_flow,
                    _ => is_break(bytes, at),
                };
                if is_end {
                    break;
                }
            }
            at += 1;
        }
        at
    }
}
