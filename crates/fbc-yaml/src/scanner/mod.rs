//! The fast path: a scanner for the block YAML that catalogs consist of.
//!
//! It reads one document straight into the arena and gives up ([`scan`] returns nothing) at the
//! first thing that it does not fully understand: anchors, tags, flow collections that are not
//! empty, explicit keys, tabs, every error. Then [`crate::general`] reads the
//! document instead, so giving up costs time and never correctness. Whatever it does return equals
//! what the general path returns; a fuzz target holds the two together.
//!
//! The rules are those of libyaml's scanner (`yaml/libyaml:src/scanner.c`) for the subset.

mod quoted;
mod text;

use memchr::memchr;

use crate::document::{Built, Document, DocumentBuilder, Mark, Slot, Text};
use crate::scalar::{Scalar, resolve_plain};

/// Containers that may be open at a time; deeper documents go to the general path.
const MAX_DEPTH: usize = 512;
/// Longer keys go to the general path, which knows libyaml's limit of 1024 characters.
const MAX_KEY: usize = 512;

/// The scanner met something that it leaves to the general path.
#[derive(Debug)]
struct Unclear;

type Scan<T> = Result<T, Unclear>;

/// Reads a document, or nothing if it is not simple enough. `text` must end with a line break.
pub(crate) fn scan(text: &str) -> Option<Document> {
    if !text::has_only_simple_characters(text.as_bytes()) {
        return None;
    }
    let mut scanner =
        Scanner { text, bytes: text.as_bytes(), at: 0, builder: DocumentBuilder::new(), blocks: Vec::new() };
    scanner.builder.reserve(text.len());
    let root = scanner.document().ok()?;
    Some(scanner.builder.finish(Built(root)))
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    builder: DocumentBuilder,
    /// The open block collections, outermost first.
    blocks: Vec<Block>,
}

/// An open block collection.
struct Block {
    is_mapping: bool,
    /// The column of its keys or dashes.
    indent: usize,
    /// The key under which it will be stored in what holds it.
    key: Text,
    mark: Mark,
}

impl<'t> Scanner<'t> {
    fn document(&mut self) -> Scan<Slot> {
        self.skip_leading_separator()?;
        if !self.next_content_line() {
            // Nothing but comments: the general path knows what that means.
            return Err(Unclear);
        }
        if self.indent_here() != 0 {
            return Err(Unclear);
        }
        self.open_block(0, Text::EMPTY)?;
        loop {
            // At the first character of an entry of the innermost block.
            self.entry()?;
            if !self.next_content_line() {
                break;
            }
            let indent = self.indent_here();
            self.at += indent;
            let is_dash = self.is_dash(self.at);
            while let Some(block) = self.blocks.last() {
                let ends = indent < block.indent || (indent == block.indent && !block.is_mapping && !is_dash);
                if !ends {
                    break;
                }
                if self.blocks.len() == 1 {
                    return Err(Unclear);
                }
                self.close_block();
            }
            match self.blocks.last() {
                Some(block) if block.indent == indent && block.is_mapping != is_dash => {}
                _ => return Err(Unclear),
            }
        }
        while self.blocks.len() > 1 {
            self.close_block();
        }
        match self.blocks.pop() {
            Some(block) => Ok(self.end_of(&block)),
            None => Err(Unclear),
        }
    }

    fn end_of(&mut self, block: &Block) -> Slot {
        if block.is_mapping {
            self.builder.close_object(block.mark).0
        } else {
            self.builder.close_array(block.mark).0
        }
    }

    fn close_block(&mut self) {
        if let Some(block) = self.blocks.pop() {
            let slot = self.end_of(&block);
            self.builder.push_entry(block.key, slot);
        }
    }

    /// Opens the block whose first entry stands at the column `indent` of the current line; leaves
    /// the position at that entry.
    fn open_block(&mut self, indent: usize, key: Text) -> Scan<()> {
        if self.blocks.len() >= MAX_DEPTH {
            return Err(Unclear);
        }
        let is_mapping = !self.is_dash(self.at);
        let mark = self.builder.open();
        self.blocks.push(Block { is_mapping, indent, key, mark });
        Ok(())
    }

    fn entry(&mut self) -> Scan<()> {
        let Some(block) = self.blocks.last() else { return Err(Unclear) };
        let indent = block.indent;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if indent == 0 && (rest.starts_with(b"...") || rest.starts_with(b"---")) {
            // The end of the document, most likely.
            return Err(Unclear);
        }
        if block.is_mapping { self.mapping_entry(indent) } else { self.sequence_entry(indent) }
    }

    fn mapping_entry(&mut self, indent: usize) -> Scan<()> {
        let line_end = self.line_end(self.at)?;
        let key = self.key(line_end)?.ok_or(Unclear)?;
        self.spaces();
        if self.at == line_end || self.byte() == b'#' {
            self.at = line_end + 1;
            return self.value_on_next_line(indent, key, true);
        }
        self.scalar(indent, key, line_end)
    }

    fn sequence_entry(&mut self, indent: usize) -> Scan<()> {
        let line_end = self.line_end(self.at)?;
        let dash = self.at;
        self.at += 1;
        self.spaces();
        if self.at == line_end || self.byte() == b'#' {
            self.at = line_end + 1;
            return self.value_on_next_line(indent, Text::EMPTY, false);
        }
        let column = indent + (self.at - dash);
        if self.is_dash(self.at) {
            self.open_block(column, Text::EMPTY)?;
            return self.entry();
        }
        let value = self.at;
        let text_length = self.builder.text_length();
        if let Some(key) = self.key(line_end)? {
            self.open_block(column, Text::EMPTY)?;
            self.spaces();
            if self.at == line_end || self.byte() == b'#' {
                self.at = line_end + 1;
                return self.value_on_next_line(column, key, true);
            }
            return self.scalar(column, key, line_end);
        }
        self.at = value;
        self.builder.text_mut().truncate(text_length);
        self.scalar(indent, Text::EMPTY, line_end)
    }

    /// Reads `key:` if the line holds a key here, and stands after the colon then.
    fn key(&mut self, line_end: usize) -> Scan<Option<Text>> {
        let first = self.byte();
        if first == b'"' || first == b'\'' {
            let key = self.quoted_on_line(line_end)?;
            let mut after = self.at;
            while self.bytes.get(after) == Some(&b' ') {
                after += 1;
            }
            if self.bytes.get(after) == Some(&b':') && self.is_blank_or_break(after + 1) {
                self.at = after + 1;
                return Ok(key);
            }
            return Ok(None);
        }
        if !text::may_begin_plain(self.bytes, self.at) {
            return Ok(None);
        }
        // Keys end soon: looking at MAX_KEY bytes keeps this from running over a long scalar.
        let limit = line_end.min(self.at + MAX_KEY + 1);
        let line = self.bytes.get(self.at..limit).unwrap_or_default();
        let mut from = 0;
        while let Some(found) = memchr(b':', line.get(from..).unwrap_or_default()) {
            let colon = self.at + from + found;
            if self.is_blank_or_break(colon + 1) {
                return self.plain_key(colon).map(Some);
            }
            from += found + 1;
        }
        if limit < line_end
            && self.bytes.get(limit..line_end).is_some_and(|rest| memchr(b':', rest).is_some())
        {
            // Perhaps a key that is too long.
            return Err(Unclear);
        }
        Ok(None)
    }

    fn plain_key(&mut self, colon: usize) -> Scan<Text> {
        let key = self.text.get(self.at..colon).ok_or(Unclear)?.trim_end_matches(' ');
        if key.contains(" #") || resolve_plain(key) != Scalar::Text {
            return Err(Unclear);
        }
        self.at = colon + 1;
        Ok(self.builder.add_text(key))
    }

    /// The value of an entry whose own line holds none: a block that is indented further (or, in a
    /// mapping, a sequence at the same column), else null.
    fn value_on_next_line(&mut self, indent: usize, key: Text, in_mapping: bool) -> Scan<()> {
        let resume = self.at;
        if self.next_content_line() {
            let column = self.indent_here();
            let first = self.at + column;
            let is_dash = self.is_dash(first);
            if column > indent || (in_mapping && column == indent && is_dash) {
                self.at = first;
                self.open_block(column, key)?;
                return self.entry();
            }
        }
        self.at = resume;
        self.builder.push_entry(key, Slot::Null);
        Ok(())
    }

    /// A scalar or an empty flow collection that begins here, in a block of that indentation.
    fn scalar(&mut self, indent: usize, key: Text, line_end: usize) -> Scan<()> {
        let slot = match self.byte() {
            quote @ (b'"' | b'\'') => {
                let text = self.quoted(quote)?;
                self.end_of_value()?;
                Slot::Text(text)
            }
            b'|' | b'>' => Slot::Text(self.block_scalar(indent, line_end)?),
            open @ (b'[' | b'{') => {
                let close = if open == b'[' { b']' } else { b'}' };
                if self.bytes.get(self.at + 1) != Some(&close) {
                    return Err(Unclear);
                }
                self.at += 2;
                self.end_of_value()?;
                let mark = self.builder.open();
                if open == b'[' {
                    self.builder.close_array(mark).0
                } else {
                    self.builder.close_object(mark).0
                }
            }
            _ if text::may_begin_plain(self.bytes, self.at) && !self.is_dash(self.at) => {
                let text = self.plain(indent, line_end)?;
                self.resolved(text)?
            }
            _ => return Err(Unclear),
        };
        self.builder.push_entry(key, slot);
        Ok(())
    }

    fn resolved(&mut self, text: Text) -> Scan<Slot> {
        let number = match resolve_plain(self.builder.text_str(text)) {
            Scalar::Text | Scalar::Merge => return Ok(Slot::Text(text)),
            Scalar::Null => return Ok(Slot::Null),
            Scalar::Bool(value) => return Ok(Slot::Bool(value)),
            Scalar::Int(number) => return Ok(self.builder.add_integer(number.into())),
            Scalar::Uint(number) => return Ok(self.builder.add_integer(number.into())),
            Scalar::Float(number) if number.is_finite() => number,
            Scalar::Float(_) => return Err(Unclear),
        };
        Ok(self.builder.add_number(number))
    }

    /// After a closed value: nothing but spaces and a comment may follow on the line.
    fn end_of_value(&mut self) -> Scan<()> {
        let line_end = self.line_end(self.at)?;
        let before = self.at;
        self.spaces();
        if self.at < line_end && (self.byte() != b'#' || self.at == before) {
            return Err(Unclear);
        }
        self.at = line_end + 1;
        Ok(())
    }

    /// Skips `---` on the first line, where the splitter leaves it.
    fn skip_leading_separator(&mut self) -> Scan<()> {
        if self.bytes.starts_with(b"---") {
            let line_end = self.line_end(0)?;
            self.at = 3;
            self.spaces();
            if self.at < line_end && (self.byte() != b'#' || self.at == 3) {
                return Err(Unclear);
            }
            self.at = line_end + 1;
        }
        Ok(())
    }

    /// Moves to the start of the next line that holds more than blanks or a comment.
    fn next_content_line(&mut self) -> bool {
        loop {
            let indent = self.indent_here();
            match self.bytes.get(self.at + indent) {
                None => return false,
                Some(b'\n') => self.at += indent + 1,
                Some(b'#') => match memchr(b'\n', self.bytes.get(self.at..).unwrap_or_default()) {
                    Some(length) => self.at += length + 1,
                    None => return false,
                },
                Some(_) => return true,
            }
        }
    }

    /// The number of spaces from here on.
    fn indent_here(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.iter().take_while(|&&byte| byte == b' ').count()
    }

    fn spaces(&mut self) {
        self.at += self.indent_here();
    }

    /// The byte here; a line break at the end of the input.
    fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(b'\n')
    }

    fn is_blank_or_break(&self, at: usize) -> bool {
        matches!(self.bytes.get(at), Some(b' ' | b'\n') | None)
    }

    fn is_dash(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&b'-') && self.is_blank_or_break(at + 1)
    }

    /// The position of the line break that ends the line of `at`.
    fn line_end(&self, at: usize) -> Scan<usize> {
        let rest = self.bytes.get(at..).ok_or(Unclear)?;
        memchr(b'\n', rest).map(|length| at + length).ok_or(Unclear)
    }
}

#[cfg(test)]
mod tests;
