//! From a JSON pointer to the place in the text: bytes, line and column, of a key or a value.
//!
//! Loading keeps no positions. When a finding needs one, its document is read once more here, with
//! positions and without values.

use std::collections::HashMap;
use std::ops::Range;

use crate::events::EventKind;
use crate::general::{Events, key_text};
use crate::json_reader::skip_space;
use crate::scalar::{Scalar, resolve_plain, resolve_tagged};
use crate::stream::{CarriageReturns, Syntax, normalised};

/// The positions of all values of a document.
#[derive(Debug)]
pub struct Locator {
    root: Spanned,
}

/// The place of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The bytes of the key that leads to the value, where it is a member of an object.
    pub key: Option<Range<usize>>,
    /// The bytes of the value.
    pub value: Range<usize>,
    /// Whether it is the value that was asked for, not one around it.
    pub is_exact: bool,
}

/// A key that an object gives more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The JSON pointer of the value that wins.
    pub pointer: String,
    /// The key.
    pub key: String,
    /// The bytes of the key where it stands first.
    pub first: Range<usize>,
    /// The bytes of the key where it stands last.
    pub last: Range<usize>,
}

#[derive(Debug, Default)]
struct Spanned {
    value: Range<usize>,
    members: Vec<Member>,
    items: Vec<Spanned>,
}

#[derive(Debug)]
struct Member {
    key: String,
    span: Range<usize>,
    value: Spanned,
}

impl Locator {
    /// Reads the positions of the document that lies in that range of the file. A document that
    /// cannot be read has as many positions as come before the fault.
    #[must_use]
    pub fn new(file: &[u8], range: Range<usize>, syntax: Syntax) -> Self {
        let root = match syntax {
            Syntax::Json => json_spans(file, range),
            Syntax::Yaml => yaml_spans(file, range),
        };
        Self { root }
    }

    /// Finds a value. Keys of the pointer are looked up as they are, else without regard to upper
    /// and lower case, as Go's decoder does.
    #[must_use]
    pub fn find(&self, pointer: &str) -> Found {
        let mut at = &self.root;
        let mut found = Found { key: None, value: at.value.clone(), is_exact: true };
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            if let Some(item) = step.parse::<usize>().ok().and_then(|index| at.items.get(index)) {
                at = item;
                found = Found { key: None, value: at.value.clone(), is_exact: true };
                continue;
            }
            let same = |member: &&Member| member.key == step;
            let folded = |member: &&Member| member.key.to_lowercase() == step.to_lowercase();
            let member = at.members.iter().rev().find(same).or_else(|| at.members.iter().rev().find(folded));
            let Some(member) = member else { return Found { is_exact: false, ..found } };
            at = &member.value;
            found = Found { key: Some(member.span.clone()), value: at.value.clone(), is_exact: true };
        }
        found
    }

    /// The keys that are given more than once, in the order of the text. `<<` does not count.
    #[must_use]
    pub fn duplicate_keys(&self) -> Vec<DuplicateKey> {
        let mut duplicates = Vec::new();
        let mut waiting = vec![(String::new(), &self.root)];
        while let Some((pointer, node)) = waiting.pop() {
            let mut first_spans: HashMap<&str, &Range<usize>> = HashMap::new();
            for member in &node.members {
                let pointer = format!("{pointer}/{}", member.key.replace('~', "~0").replace('/', "~1"));
                let first = *first_spans.entry(&member.key).or_insert(&member.span);
                if *first != member.span && member.key != "<<" {
                    duplicates.push(DuplicateKey {
                        pointer: pointer.clone(),
                        key: member.key.clone(),
                        first: first.clone(),
                        last: member.span.clone(),
                    });
                }
                waiting.push((pointer, &member.value));
            }
            for (index, item) in node.items.iter().enumerate() {
                waiting.push((format!("{pointer}/{index}"), item));
            }
        }
        duplicates.sort_by_key(|duplicate| duplicate.last.start);
        duplicates
    }
}

/// An open container.
struct Open {
    spanned: Spanned,
    is_object: bool,
    /// The key that waits for its value.
    key: Option<(String, Range<usize>)>,
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Spanned,
}

impl Builder {
    fn open(&mut self, start: usize, is_object: bool) {
        self.open.push(Open {
            spanned: Spanned { value: start..start, ..Spanned::default() },
            is_object,
            key: None,
        });
    }

    /// Ends the innermost container: its value ends with its last part, or where the text closes it.
    fn close(&mut self, end: Option<usize>) {
        if let Some(mut open) = self.open.pop() {
            if let Some(end) = end {
                open.spanned.value.end = end;
            }
            self.store(open.spanned);
        }
    }

    fn store(&mut self, spanned: Spanned) {
        let Some(open) = self.open.last_mut() else {
            self.root = spanned;
            return;
        };
        open.spanned.value.end = open.spanned.value.end.max(spanned.value.end);
        match (open.is_object, open.key.take()) {
            (true, Some((key, span))) => open.spanned.members.push(Member { key, span, value: spanned }),
            // A key that is no text cannot be pointed at.
            (true, None) => open.key = Some((String::new(), spanned.value)),
            (false, _) => open.spanned.items.push(spanned),
        }
    }

    /// A scalar: a key where one is due, else a value.
    fn scalar(&mut self, span: Range<usize>, key: impl FnOnce() -> String) {
        match self.open.last_mut() {
            Some(open) if open.is_object && open.key.is_none() => open.key = Some((key(), span)),
            _ => self.store(Spanned { value: span, ..Spanned::default() }),
        }
    }

    fn finish(mut self) -> Spanned {
        while !self.open.is_empty() {
            self.close(None);
        }
        self.root
    }
}

fn yaml_spans(file: &[u8], range: Range<usize>) -> Spanned {
    let chunk = file.get(range.clone()).unwrap_or_default();
    let text = normalised(chunk);
    let carriage_returns = CarriageReturns::new(chunk);
    let byte = |byte: usize| range.start + carriage_returns.original(byte);
    let mut events = Events::new(&text);
    let mut builder = Builder::default();
    while let Ok(event) = events.next() {
        let start = byte(event.start.byte);
        match event.kind {
            EventKind::DocumentEnd | EventKind::StreamEnd => break,
            EventKind::Scalar { tag, value, plain_implicit, .. } => {
                let span = start..trimmed_end(file, start, byte(event.end.byte));
                builder.scalar(span, || {
                    let scalar = match tag {
                        None if plain_implicit => resolve_plain(&value),
                        None => Scalar::Text,
                        Some(tag) => resolve_tagged(&tag, &value).unwrap_or(Scalar::Text),
                    };
                    key_text(scalar, &value).unwrap_or_default()
                });
            }
            EventKind::Alias { .. } => builder.scalar(start..byte(event.end.byte), String::new),
            EventKind::SequenceStart { .. } => builder.open(start, false),
            EventKind::MappingStart { .. } => builder.open(start, true),
            EventKind::SequenceEnd | EventKind::MappingEnd => {
                // Block collections end where the next token begins; flow ones at their bracket.
                let end = byte(event.end.byte);
                let closes = end.checked_sub(1).and_then(|last| file.get(last));
                let is_flow = event.start != event.end && matches!(closes, Some(b']' | b'}'));
                builder.close(is_flow.then_some(end));
            }
            _ => {}
        }
    }
    let mut root = builder.finish();
    if root.value.is_empty() {
        root.value = range;
    }
    root
}

/// Block scalars end at the start of the next line; the break is no part of what people see.
fn trimmed_end(file: &[u8], start: usize, end: usize) -> usize {
    let text = file.get(start..end).unwrap_or_default();
    start + text.trim_ascii_end().len()
}

/// The spans of a JSON value; stops where the text is no JSON.
fn json_spans(file: &[u8], range: Range<usize>) -> Spanned {
    let mut builder = Builder::default();
    let mut at = range.start;
    while at < range.end {
        at = skip_space(file, at);
        match file.get(at) {
            Some(open @ (b'{' | b'[')) => {
                builder.open(at, *open == b'{');
                at += 1;
            }
            Some(b'}' | b']') => {
                at += 1;
                builder.close(Some(at));
            }
            Some(b',' | b':') => at += 1,
            Some(b'"') => {
                let end = string_end(file, at);
                builder.scalar(at..end, || {
                    let text = crate::json_reader::read_value(file, at).ok();
                    text.and_then(|(document, _)| document.root().as_str().map(str::to_owned))
                        .unwrap_or_default()
                });
                at = end;
            }
            Some(_) => {
                let rest = file.get(at..range.end).unwrap_or_default();
                let length = rest
                    .iter()
                    .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
                    .unwrap_or(rest.len())
                    .max(1);
                builder.scalar(at..at + length, String::new);
                at += length;
            }
            None => break,
        }
    }
    builder.finish()
}

fn string_end(file: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        let rest = file.get(at..).unwrap_or_default();
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(found) if rest.get(found) == Some(&b'"') => return at + found + 1,
            Some(found) => at += found + 2,
            None => return file.len(),
        }
    }
}

/// The lines of a file, for many questions about it.
#[derive(Debug)]
pub struct Lines<'f> {
    file: &'f [u8],
    /// The first byte of each line.
    starts: Vec<usize>,
}

impl<'f> Lines<'f> {
    /// Looks over a file.
    #[must_use]
    pub fn new(file: &'f [u8]) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', file).map(|at| at + 1)).collect();
        Self { file, starts }
    }

    /// Line and column of a byte, both from 1; columns count characters.
    #[must_use]
    pub fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let byte = byte.min(self.file.len());
        let line = self.starts.partition_point(|start| *start <= byte);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line)).copied().unwrap_or_default();
        let before = self.file.get(start..byte).unwrap_or_default();
        (line, before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() + 1)
    }
}

/// Line and column of one byte of a file, as [`Lines::line_and_column`] gives them.
#[must_use]
pub fn line_and_column(file: &[u8], byte: usize) -> (usize, usize) {
    Lines::new(file.get(..byte).unwrap_or(file)).line_and_column(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, syntax: Syntax, pointer: &str) -> (Option<String>, String, bool) {
        let locator = Locator::new(text.as_bytes(), 0..text.len(), syntax);
        let found = locator.find(pointer);
        let show = |range: Range<usize>| text.get(range).unwrap_or("?").to_owned();
        (found.key.map(show), show(found.value), found.is_exact)
    }

    #[test]
    fn yaml_places() {
        let text = "---\nname: é foo\nentries:\n- name: a\n  skips: [x, 'y']\n- name: b\n1: |\n  text\n";
        for (pointer, key, value) in [
            ("/name", Some("name"), "é foo"),
            ("/entries/0", None, "name: a\n  skips: [x, 'y']"),
            ("/entries/0/skips/1", None, "'y'"),
            ("/entries/0/skips", Some("skips"), "[x, 'y']"),
            ("/Entries/1/NAME", Some("name"), "b"),
            ("/1", Some("1"), "|\n  text"),
        ] {
            assert_eq!(find(text, Syntax::Yaml, pointer), (key.map(str::to_owned), value.to_owned(), true));
        }
        assert_eq!(find(text, Syntax::Yaml, "/entries/1/skips"), (None, "name: b".to_owned(), false));
        let crlf = "a: b\r\nc:\r\n  d: e\r\n";
        assert_eq!(find(crlf, Syntax::Yaml, "/c/d"), (Some("d".to_owned()), "e".to_owned(), true));
    }

    #[test]
    fn json_places() {
        let text = r#"{"a\/b": [1, {"x": "y\"z"}], "n": -1.5 }"#;
        for (pointer, key, value) in [
            ("/a~1b/0", None, "1"),
            ("/a~1b/1/x", Some("\"x\""), r#""y\"z""#),
            ("/n", Some("\"n\""), "-1.5"),
            ("", None, text),
        ] {
            assert_eq!(find(text, Syntax::Json, pointer), (key.map(str::to_owned), value.to_owned(), true));
        }
    }

    #[test]
    fn duplicates_and_lines() {
        let text = "a: 1\nb: {c: 1, c: 2}\na: 3\n";
        let locator = Locator::new(text.as_bytes(), 0..text.len(), Syntax::Yaml);
        let shown: Vec<_> =
            locator.duplicate_keys().into_iter().map(|d| (d.pointer, d.first.start, d.last.start)).collect();
        assert_eq!(shown, [("/b/c".to_owned(), 9, 15), ("/a".to_owned(), 0, 21)]);
        assert_eq!(line_and_column("é\nüx".as_bytes(), 5), (2, 2));
        assert_eq!(line_and_column(b"a", 99), (1, 2));
        let text = "é\nüx\n\ny".as_bytes();
        let lines = Lines::new(text);
        let places: Vec<_> = [0, 2, 3, 5, 6, 7, 8, 99].map(|byte| lines.line_and_column(byte)).into();
        assert_eq!(places, [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (4, 1), (4, 2)]);
    }

    #[test]
    fn broken_documents_have_the_places_before_the_fault() {
        assert_eq!(find("a: b\nc: [\n", Syntax::Yaml, "/a"), (Some("a".to_owned()), "b".to_owned(), true));
        assert_eq!(find("{\"a\": 1, \"b\"", Syntax::Json, "/a").1, "1");
        assert_eq!(find("", Syntax::Json, "/a").1, "");
    }
}
