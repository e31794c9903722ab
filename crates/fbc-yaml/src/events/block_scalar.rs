//! Literal (`|`) and folded (`>`) block scalars.

use super::reader::is_break;
use super::scalar_text::ScalarText;
use super::scanner::{Scanned, Scanner};
use super::token::{Token, TokenKind};
use super::{Mark, Style};

const READING: &str = "while scanning a block scalar";

/// What becomes of the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

/// The line breaks between two lines with text.
struct Breaks<'t> {
    /// Of the empty lines.
    meanings: ScalarText<'t>,
    /// Behind the last of them.
    end: Mark,
}

impl<'t> Scanner<'t> {
    /// Reads a block scalar.
    ///
    /// # Errors
    /// An indicator that makes no sense, and tabs where the indentation must be spaces.
    pub(super) fn block_scalar(&mut self) -> Scanned<Token<'t>> {
        let start = self.reader.mark();
        let is_literal = self.reader.byte() == b'|';
        self.reader.skip();
        let (chomping, increment) = self.block_indicators(start)?;
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

        let mut indent = increment.map(|increment| self.indent.unwrap_or(0) + increment);
        let mut text = ScalarText::new(self.reader.text());
        let mut empty_lines = self.block_breaks(&mut indent, start)?;
        let mut last_break = 0..0;
        let mut last_meaning = "";
        let mut was_indented = false;
        while indent == Some(self.reader.column()) && !self.reader.is_at_end() {
            // Lines that begin with a blank keep the breaks around them.
            let is_indented = self.reader.is_at_blank();
            if !is_literal && !was_indented && !is_indented && last_meaning == "\n" {
                if empty_lines.meanings.is_empty() {
                    text.push(' ');
                }
            } else {
                push_break(&mut text, self.reader.text(), last_break, last_meaning);
            }
            text.push_str(&empty_lines.meanings.finish());
            was_indented = is_indented;
            let line = self.reader.at()..self.reader.line_end();
            self.reader.advance(line.end, 1)?;
            text.push_source(line);
            self.reader.need(2)?;
            let at = self.reader.at();
            last_meaning = self.reader.take_break();
            last_break = at..self.reader.at();
            empty_lines = self.block_breaks(&mut indent, start)?;
        }
        if chomping != Chomping::Strip {
            push_break(&mut text, self.reader.text(), last_break, last_meaning);
        }
        let end = empty_lines.end;
        if chomping == Chomping::Keep {
            text.push_str(&empty_lines.meanings.finish());
        }
        let style = if is_literal { Style::Literal } else { Style::Folded };
        Ok(Token { kind: TokenKind::Scalar { value: text.finish(), style }, start, end })
    }

    /// What may stand behind `|` or `>`, in either order: how to treat the end, and by how much the
    /// text is indented.
    fn block_indicators(&mut self, start: Mark) -> Scanned<(Chomping, Option<usize>)> {
        let mut chomping = None;
        let mut increment = None;
        for _ in 0..2 {
            self.reader.need(1)?;
            match self.reader.byte() {
                b'+' if chomping.is_none() => chomping = Some(Chomping::Keep),
                b'-' if chomping.is_none() => chomping = Some(Chomping::Strip),
                b'0' if increment.is_none() => {
                    return self.fail(READING, start, "found an indentation indicator equal to 0");
                }
                digit @ b'1'..=b'9' if increment.is_none() => increment = Some(usize::from(digit - b'0')),
                _ => break,
            }
            self.reader.skip();
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    /// Skips empty lines and the indentation of the next one with text, which gives the indentation
    /// of the scalar if that is not known yet.
    fn block_breaks(&mut self, indent: &mut Option<usize>, start: Mark) -> Scanned<Breaks<'t>> {
        let mut breaks = Breaks { meanings: ScalarText::new(self.reader.text()), end: self.reader.mark() };
        let mut widest = 0;
        loop {
            self.reader.need(1)?;
            let spaces = indent.map_or(usize::MAX, |indent| indent.saturating_sub(self.reader.column()));
            let rest = self.reader.bytes().get(self.reader.at()..).unwrap_or_default();
            let found = rest.iter().take(spaces).take_while(|&&byte| byte == b' ').count();
            self.reader.advance(self.reader.at() + found, 1)?;
            let column = self.reader.column();
            widest = widest.max(column);
            if self.reader.byte() == b'\t' && indent.is_none_or(|indent| column < indent) {
                let problem = "found a tab character where an indentation space is expected";
                return self.fail(READING, start, problem);
            }
            if !is_break(self.reader.bytes(), self.reader.at()) {
                break;
            }
            self.reader.need(2)?;
            let at = self.reader.at();
            let meaning = self.reader.take_break();
            push_break(&mut breaks.meanings, self.reader.text(), at..self.reader.at(), meaning);
            breaks.end = self.reader.mark();
        }
        if indent.is_none() {
            *indent = Some(widest.max(self.indent.map_or(0, |indent| indent + 1)).max(1));
        }
        Ok(breaks)
    }
}

/// Appends a line break, as a piece of the source where it means what it is.
fn push_break(text: &mut ScalarText<'_>, source: &str, range: std::ops::Range<usize>, meaning: &str) {
    if source.get(range.clone()) == Some(meaning) {
        text.push_source(range);
    } else {
        text.push_str(meaning);
    }
}
