//! Plain and block scalars of the fast path, and the characters that it accepts.

use memchr::{memchr_iter, memchr2};

use super::{Scan, Scanner, Unclear};
use crate::document::Text;

/// Whether the text holds only characters that need no further thought: printable ASCII, line
/// feeds, and non-ASCII characters that are neither line breaks nor refused by the reader.
///
/// Control characters (tabs and carriage returns among them) go to the general path, and so do
/// U+0080 to U+009F, U+2028, U+2029, U+FEFF, U+FFFE and U+FFFF.
pub(super) fn has_only_simple_characters(bytes: &[u8]) -> bool {
    let mut has_wide = false;
    for chunk in bytes.chunks(64) {
        // Without an early exit the compiler turns this into a few vector instructions.
        let (odd, wide) = chunk.iter().fold((false, false), |(odd, wide), &byte| {
            (odd | ((byte < b' ') & (byte != b'\n')) | (byte == 0x7f), wide | (byte >= 0x80))
        });
        if odd {
            return false;
        }
        has_wide |= wide;
    }
    !has_wide || wide_are_simple(bytes)
}

fn wide_are_simple(bytes: &[u8]) -> bool {
    let after = |at: usize, offset: usize| bytes.get(at + offset).copied().unwrap_or_default();
    memchr_iter(0xC2, bytes).all(|at| after(at, 1) >= 0xA0)
        && memchr_iter(0xE2, bytes).all(|at| !(after(at, 1) == 0x80 && matches!(after(at, 2), 0xA8 | 0xA9)))
        && memchr_iter(0xEF, bytes)
            .all(|at| !matches!((after(at, 1), after(at, 2)), (0xBB, 0xBF) | (0xBF, 0xBE | 0xBF)))
}

/// Whether a plain scalar may begin at `at` (in block context): no indicator, or `-`, `?`, `:` not
/// followed by a blank.
pub(super) fn may_begin_plain(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        None
        | Some(
            b' ' | b'\n' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
            | b'"' | b'%' | b'@' | b'`',
        ) => false,
        Some(b'-' | b'?' | b':') => !matches!(bytes.get(at + 1), None | Some(b' ' | b'\n')),
        Some(_) => true,
    }
}

impl Scanner<'_> {
    /// A plain scalar that begins here, with its continuation lines (deeper than `indent`), folded.
    pub(super) fn plain(&mut self, indent: usize, line_end: usize) -> Scan<Text> {
        let start = self.builder.text_length();
        let mut line_end = line_end;
        loop {
            let comment = self.plain_line(line_end)?;
            self.at = line_end + 1;
            // Look for a continuation: blank lines, then a line that is indented deeply enough.
            let mut breaks = 1;
            let mut next = self.at;
            let (indentation, first) = loop {
                let spaces = self
                    .bytes
                    .get(next..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|&&byte| byte == b' ')
                    .count();
                match self.bytes.get(next + spaces) {
                    Some(b'\n') => {
                        breaks += 1;
                        next += spaces + 1;
                    }
                    other => break (spaces, other),
                }
            };
            let Some(&first) = first else { break };
            if indentation <= indent {
                break;
            }
            if comment || first == b'#' {
                // A comment ends the scalar. What follows deeper than the block is either another
                // comment or an error, which the general path tells apart.
                if first == b'#' {
                    break;
                }
                return Err(Unclear);
            }
            let text = self.builder.text_mut();
            if breaks == 1 {
                text.push(' ');
            } else {
                text.extend(std::iter::repeat_n('\n', breaks - 1));
            }
            self.at = next + indentation;
            line_end = self.line_end(self.at)?;
        }
        Ok(self.builder.text_since(start))
    }

    /// Appends one line of a plain scalar; tells whether a comment ended it.
    fn plain_line(&mut self, line_end: usize) -> Scan<bool> {
        let line = self.text.get(self.at..line_end).ok_or(Unclear)?;
        let bytes = line.as_bytes();
        let mut from = 0;
        while let Some(found) = memchr2(b':', b'#', bytes.get(from..).unwrap_or_default()) {
            let at = from + found;
            let is_colon = bytes.get(at) == Some(&b':');
            if is_colon && matches!(bytes.get(at + 1), None | Some(b' ')) {
                return Err(Unclear);
            }
            if !is_colon && at > 0 && bytes.get(at - 1) == Some(&b' ') {
                let kept = line.get(..at).unwrap_or_default().trim_end_matches(' ');
                self.builder.text_mut().push_str(kept);
                return Ok(true);
            }
            from = at + 1;
        }
        self.builder.text_mut().push_str(line.trim_end_matches(' '));
        Ok(false)
    }

    /// A block scalar whose `|` or `>` stands here.
    pub(super) fn block_scalar(&mut self, indent: usize, line_end: usize) -> Scan<Text> {
        let is_folded = self.byte() == b'>';
        let (chomp, explicit) = self.block_header(line_end)?;
        let start = self.builder.text_length();
        let mut content_indent = explicit.map(|digit| indent + digit);
        // Line breaks that wait to be written until it is known what follows them.
        let mut pending = 0;
        let mut most_blank = 0;
        // Whether the last line of content began with a space; nothing before the first.
        let mut last_is_indented = None;
        while self.at < self.bytes.len() {
            let line_end = self.line_end(self.at)?;
            let spaces = self.indent_here();
            let is_blank = self.at + spaces == line_end;
            // A line of blanks that is longer than the indentation is content.
            if is_blank && content_indent.is_none_or(|content| spaces <= content) {
                most_blank = most_blank.max(spaces);
                pending += 1;
                self.at = line_end + 1;
                continue;
            }
            let content = match content_indent {
                Some(content) => content,
                None if spaces <= indent => break,
                None if most_blank > spaces => return Err(Unclear),
                None => spaces,
            };
            if spaces < content {
                break;
            }
            content_indent = Some(content);
            let is_indented = spaces > content;
            if is_folded && !is_indented && last_is_indented == Some(false) {
                // The break between two lines becomes a space, or goes where blank lines follow it.
                if pending == 1 {
                    self.builder.text_mut().push(' ');
                } else {
                    self.write_breaks(pending - 1);
                }
            } else {
                self.write_breaks(pending);
            }
            last_is_indented = Some(is_indented);
            let line = self.text.get(self.at + content..line_end).ok_or(Unclear)?;
            self.builder.text_mut().push_str(line);
            pending = 1;
            self.at = line_end + 1;
        }
        match chomp {
            Chomp::Strip => {}
            Chomp::Keep => self.write_breaks(pending),
            Chomp::Clip if last_is_indented.is_none() => {}
            Chomp::Clip => self.write_breaks(pending.min(1)),
        }
        Ok(self.builder.text_since(start))
    }

    fn write_breaks(&mut self, count: usize) {
        self.builder.text_mut().extend(std::iter::repeat_n('\n', count));
    }

    /// The header of a block scalar; leaves the position at the next line.
    fn block_header(&mut self, line_end: usize) -> Scan<(Chomp, Option<usize>)> {
        let header = self.bytes.get(self.at + 1..line_end).ok_or(Unclear)?;
        let (mut chomp, mut explicit, mut length) = (None, None, 0);
        for &byte in header {
            match byte {
                b'+' if chomp.is_none() => chomp = Some(Chomp::Keep),
                b'-' if chomp.is_none() => chomp = Some(Chomp::Strip),
                b'1'..=b'9' if explicit.is_none() => explicit = Some(usize::from(byte - b'0')),
                _ => break,
            }
            length += 1;
        }
        self.at += 1 + length;
        self.end_of_value()?;
        Ok((chomp.unwrap_or(Chomp::Clip), explicit))
    }
}

/// What happens to the line breaks at the end of a block scalar.
enum Chomp {
    Strip,
    Clip,
    Keep,
}
