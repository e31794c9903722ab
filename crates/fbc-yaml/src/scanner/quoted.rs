//! Quoted scalars of the fast path.

use memchr::{memchr, memchr2};

use super::{Scan, Scanner, Unclear};
use crate::document::Text;

impl Scanner<'_> {
    /// A quoted scalar that begins and ends on this line: a key, perhaps. Nothing if it does not
    /// end here; the position is then after the opening quote.
    pub(super) fn quoted_on_line(&mut self, line_end: usize) -> Scan<Option<Text>> {
        let quote = self.byte();
        let inside = self.bytes.get(self.at + 1..line_end).ok_or(Unclear)?;
        // A long value is not a key; reading it twice would cost more than this look ahead.
        if inside.len() > super::MAX_KEY && memchr(quote, inside).is_none_or(|at| at > super::MAX_KEY) {
            return Ok(None);
        }
        let start = self.at;
        let text = self.quoted(quote)?;
        Ok((self.at <= line_end && self.at - start <= super::MAX_KEY).then_some(text))
    }

    /// A quoted scalar whose opening quote stands here; leaves the position after the closing one.
    pub(super) fn quoted(&mut self, quote: u8) -> Scan<Text> {
        self.at += 1;
        let start = self.builder.text_length();
        loop {
            let rest = self.bytes.get(self.at..).ok_or(Unclear)?;
            // The part up to the next quote (or backslash), which may span lines.
            let length = if quote == b'"' { memchr2(b'"', b'\\', rest) } else { memchr(b'\'', rest) }
                .ok_or(Unclear)?;
            let end = self.at + length;
            self.folded_part(end)?;
            match (self.byte(), self.bytes.get(self.at + 1)) {
                (b'\'', Some(b'\'')) => {
                    self.builder.text_mut().push('\'');
                    self.at += 2;
                }
                (b'\\', _) => self.escape()?,
                _ => {
                    self.at += 1;
                    return Ok(self.builder.text_since(start));
                }
            }
        }
    }

    /// Appends the text up to `end`, folding its line breaks; stands at `end` then.
    fn folded_part(&mut self, end: usize) -> Scan<()> {
        loop {
            let part = self.bytes.get(self.at..end).ok_or(Unclear)?;
            let Some(length) = memchr(b'\n', part) else {
                let text = self.text.get(self.at..end).ok_or(Unclear)?;
                self.builder.text_mut().push_str(text);
                self.at = end;
                return Ok(());
            };
            let line = self.text.get(self.at..self.at + length).ok_or(Unclear)?.trim_end_matches(' ');
            self.builder.text_mut().push_str(line);
            self.at += length + 1;
            self.fold_breaks(end)?;
        }
    }

    /// After a line break: counts the blank lines that follow and writes what the break becomes.
    fn fold_breaks(&mut self, end: usize) -> Scan<()> {
        let mut blank_lines = 0;
        loop {
            if self
                .bytes
                .get(self.at..)
                .is_some_and(|rest| rest.starts_with(b"...") || rest.starts_with(b"---"))
            {
                return Err(Unclear);
            }
            self.spaces();
            if self.at >= end || self.byte() != b'\n' {
                break;
            }
            blank_lines += 1;
            self.at += 1;
        }
        let text = self.builder.text_mut();
        if blank_lines == 0 {
            text.push(' ');
        } else {
            text.extend(std::iter::repeat_n('\n', blank_lines));
        }
        Ok(())
    }

    /// An escape in double quotes whose backslash stands here.
    fn escape(&mut self) -> Scan<()> {
        let kind = self.bytes.get(self.at + 1).copied().ok_or(Unclear)?;
        self.at += 2;
        let character = match kind {
            b'\n' => return self.escaped_break(),
            b'x' => self.hexadecimal(2)?,
            b'u' => self.hexadecimal(4)?,
            b'U' => self.hexadecimal(8)?,
            b'0' => '\0',
            b'a' => '\x07',
            b'b' => '\x08',
            b't' => '\t',
            b'n' => '\n',
            b'v' => '\x0b',
            b'f' => '\x0c',
            b'r' => '\r',
            b'e' => '\x1b',
            b' ' => ' ',
            b'"' => '"',
            b'\\' => '\\',
            b'N' => '\u{85}',
            b'_' => '\u{a0}',
            b'L' => '\u{2028}',
            b'P' => '\u{2029}',
            _ => return Err(Unclear),
        };
        self.builder.text_mut().push(character);
        Ok(())
    }

    /// A line break after a backslash joins the lines; blank lines that follow are kept.
    fn escaped_break(&mut self) -> Scan<()> {
        if self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(b"...") || rest.starts_with(b"---"))
        {
            return Err(Unclear);
        }
        self.spaces();
        if self.byte() == b'\n' { Err(Unclear) } else { Ok(()) }
    }

    fn hexadecimal(&mut self, digits: usize) -> Scan<char> {
        let text = self.text.get(self.at..self.at + digits).ok_or(Unclear)?;
        if !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(Unclear);
        }
        self.at += digits;
        u32::from_str_radix(text, 16).ok().and_then(char::from_u32).ok_or(Unclear)
    }
}
