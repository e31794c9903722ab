//! `%YAML` and `%TAG`.

use super::Mark;
use super::scanner::{Scanned, Scanner};
use super::tag::is_word;
use super::token::TokenKind;

const READING: &str = "while scanning a directive";
const READING_VERSION: &str = "while scanning a %YAML directive";
const READING_TAG: &str = "while scanning a %TAG directive";

impl<'t> Scanner<'t> {
    /// Reads a directive with its line.
    ///
    /// # Errors
    /// Any other name, and anything that does not belong to the directive.
    pub(super) fn directive(&mut self) -> Scanned<TokenKind<'t>> {
        let start = self.reader.mark();
        self.reader.skip();
        self.reader.need(1)?;
        let at = self.reader.at();
        self.reader.skip_while(is_word)?;
        let name = self.reader.slice(at, self.reader.at());
        if name.is_empty() {
            return self.fail(READING, start, "could not find expected directive name");
        }
        if !self.reader.is_blank_or_end_after(0) {
            return self.fail(READING, start, "found unexpected non-alphabetical character");
        }
        let kind = match name {
            "YAML" => self.version(start)?,
            "TAG" => self.tag_directive(start)?,
            _ => return self.fail(READING, start, "found unknown directive name"),
        };
        self.reader.need(1)?;
        self.reader.skip_blanks()?;
        if self.reader.byte() == b'#' {
            self.reader.skip_to_break()?;
        }
        if !self.reader.is_at_break() && !self.reader.is_at_end() {
            return self.fail(READING, start, "did not find expected comment or line break");
        }
        self.reader.need(2)?;
        self.reader.take_break();
        Ok(kind)
    }

    fn version(&mut self, start: Mark) -> Scanned<TokenKind<'t>> {
        self.reader.need(1)?;
        self.reader.skip_blanks()?;
        let major = self.version_number(start)?;
        if self.reader.byte() != b'.' {
            return self.fail(READING_VERSION, start, "did not find expected digit or '.' character");
        }
        self.reader.skip();
        let minor = self.version_number(start)?;
        Ok(TokenKind::Version(major, minor))
    }

    fn version_number(&mut self, start: Mark) -> Scanned<u8> {
        self.reader.need(1)?;
        let mut number = None;
        for digits in 0.. {
            let byte = self.reader.byte();
            if !byte.is_ascii_digit() {
                break;
            }
            if digits == 2 {
                return self.fail(READING_VERSION, start, "found extremely long version number");
            }
            number = Some(number.unwrap_or(0) * 10 + (byte - b'0'));
            self.reader.skip();
            self.reader.need(1)?;
        }
        match number {
            Some(number) => Ok(number),
            None => self.fail(READING_VERSION, start, "did not find expected version number"),
        }
    }

    fn tag_directive(&mut self, start: Mark) -> Scanned<TokenKind<'t>> {
        self.reader.need(1)?;
        self.reader.skip_blanks()?;
        let handle = self.tag_handle(true, start)?;
        self.reader.need(1)?;
        if !self.reader.is_at_blank() {
            return self.fail(READING_TAG, start, "did not find expected whitespace");
        }
        self.reader.skip_blanks()?;
        let at = self.reader.at();
        let prefix = self.tag_uri(true, start, at, false)?;
        self.reader.need(1)?;
        if !self.reader.is_blank_or_end_after(0) {
            return self.fail(READING_TAG, start, "did not find expected whitespace or line break");
        }
        Ok(TokenKind::TagDirective { handle, prefix })
    }
}
