//! Lines of a text, as far as edits need them, and the pieces that replace its bytes.

use std::ops::Range;

/// A stretch of text and what comes in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    /// Lines end in line feeds here, whatever the text has.
    pub(super) text: String,
}

impl Splice {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }

    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::new(at..at, text)
    }
}

/// The text with the splices in it, which come in the order of the text and do not overlap.
pub(super) fn spliced(bytes: &[u8], splices: &[Splice]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + splices.iter().map(|s| s.text.len() + 16).sum::<usize>());
    let mut at = 0;
    for splice in splices {
        out.extend_from_slice(bytes.get(at..splice.range.start).unwrap_or_default());
        out.extend_from_slice(with_line_ends_of(bytes, &splice.text).as_bytes());
        at = splice.range.end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}

/// The text with the line ends of those bytes: of Windows where their first line has one.
pub(super) fn with_line_ends_of(bytes: &[u8], text: &str) -> String {
    let first = memchr::memchr(b'\n', bytes);
    let is_windows = first.and_then(|at| at.checked_sub(1)).and_then(|at| bytes.get(at)) == Some(&b'\r');
    if is_windows { text.replace('\n', "\r\n") } else { text.to_owned() }
}

/// The first byte of the line of a byte.
pub(super) fn line_start(bytes: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', bytes.get(..at).unwrap_or(bytes)).map_or(0, |found| found + 1)
}

/// The end of the line of a byte, before its line break.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    match memchr::memchr(b'\n', rest) {
        Some(found) if found > 0 && rest.get(found - 1) == Some(&b'\r') => at + found - 1,
        Some(found) => at + found,
        None => bytes.len().max(at),
    }
}

/// The start of the line after the one of a byte; the end of the text if there is none.
pub(super) fn next_line(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(bytes.len(), |found| at + found + 1)
}

/// What stands in the line before a byte, if that is white space only.
pub(super) fn indentation(bytes: &[u8], at: usize) -> Option<&str> {
    let before = bytes.get(line_start(bytes, at)..at)?;
    let is_blank = before.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    is_blank.then(|| std::str::from_utf8(before).unwrap_or_default())
}

/// The white space with which the line of a byte begins.
pub(super) fn line_indentation(bytes: &[u8], at: usize) -> &str {
    let line = bytes.get(line_start(bytes, at)..).unwrap_or_default();
    let length = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    line.get(..length).and_then(|blank| std::str::from_utf8(blank).ok()).unwrap_or_default()
}

/// Bytes between the start of its line and a byte.
pub(super) fn column(bytes: &[u8], at: usize) -> usize {
    at - line_start(bytes, at)
}

/// Whether the line holds nothing but a comment that begins behind that column.
pub(super) fn is_comment_behind(bytes: &[u8], line: usize, column: usize) -> bool {
    let text = bytes.get(line..line_end(bytes, line)).unwrap_or_default();
    let indent = text.iter().take_while(|&&byte| byte == b' ').count();
    indent > column && text.get(indent) == Some(&b'#')
}
