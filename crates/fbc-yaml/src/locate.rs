//! From a JSON pointer to the place in the text: bytes, line and column, of a key or a value.
//!
//! Loading keeps no positions. When a finding needs one, its document is read once more here, with
//! positions and without values.

use std::collections::HashMap;
use std::ops::Range;

pub use crate::spans::MOST_VALUES;
use crate::spans::{self, Member, Spanned};
use crate::stream::Syntax;

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

/// What stands at a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The JSON pointer of the value.
    pub pointer: String,
    /// Whether the byte is in the key of the value, not in the value itself.
    pub is_key: bool,
    /// The bytes of the key or of the value.
    pub range: Range<usize>,
}

/// A value in an object or list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The key or the number.
    pub step: String,
    /// The bytes of the key, in an object.
    pub key: Option<Range<usize>>,
    /// The bytes of the value.
    pub value: Range<usize>,
    /// Whether it is a list or an object.
    pub is_container: bool,
}

/// A key that an object gives more than once.
#[derive(Debug)]
pub struct DuplicateKey<'l> {
    /// The JSON pointer of the value that wins.
    pub pointer: &'l str,
    /// The key.
    pub key: &'l str,
    /// The bytes of the key where it stands first.
    pub first: Range<usize>,
    /// The bytes of the key where it stands last.
    pub last: Range<usize>,
    /// The bytes of the value there.
    pub value: Range<usize>,
}

impl Locator {
    /// Reads the positions of the document that lies in that range of the file. A document that
    /// cannot be read has as many positions as come before the fault.
    #[must_use]
    pub fn new(file: &[u8], range: Range<usize>, syntax: Syntax) -> Self {
        Self { root: spans::read(file, range, syntax) }
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

    /// The innermost key or scalar at a byte, or the container around it; nothing outside of the document.
    #[must_use]
    pub fn at(&self, byte: usize) -> Option<At> {
        let holds = |range: &Range<usize>| range.start <= byte && byte <= range.end;
        let mut node = &self.root;
        let mut pointer = String::new();
        if !holds(&node.value) {
            return None;
        }
        loop {
            if let Some(member) = node.members.iter().find(|member| holds(&member.span)) {
                push_step(&mut pointer, &member.key);
                return Some(At { pointer, is_key: true, range: member.span.clone() });
            }
            let member = node.members.iter().find(|member| holds(&member.value.value));
            let item = node.items.iter().enumerate().find(|(_, item)| holds(&item.value));
            node = match (member, item) {
                (Some(member), _) => {
                    push_step(&mut pointer, &member.key);
                    &member.value
                }
                (None, Some((index, item))) => {
                    push_step(&mut pointer, &index.to_string());
                    item
                }
                (None, None) => return Some(At { pointer, is_key: false, range: node.value.clone() }),
            };
        }
    }

    /// What an object or list at a pointer holds, in the order of the text.
    #[must_use]
    pub fn children(&self, pointer: &str) -> Vec<Child> {
        let mut node = &self.root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let item = step.parse::<usize>().ok().and_then(|index| node.items.get(index));
            let member = node.members.iter().rev().find(|member| member.key == step);
            match item.or(member.map(|member| &member.value)) {
                Some(inner) => node = inner,
                None => return Vec::new(),
            }
        }
        let is_container = |node: &Spanned| !node.members.is_empty() || !node.items.is_empty();
        let members = node.members.iter().map(|member| Child {
            step: member.key.clone(),
            key: Some(member.span.clone()),
            value: member.value.value.clone(),
            is_container: is_container(&member.value),
        });
        let items = node.items.iter().enumerate().map(|(index, item)| Child {
            step: index.to_string(),
            key: None,
            value: item.value.clone(),
            is_container: is_container(item),
        });
        members.chain(items).collect()
    }

    /// Visits the keys that are given more than once, in the order of the text. `<<` does not count.
    pub fn duplicate_keys(&self, mut visit: impl FnMut(DuplicateKey<'_>)) {
        // The containers that are open, with one pointer for all of them: pointers of their own would cost the
        // square of the depth.
        let mut pointer = String::new();
        let mut open = vec![OpenNode::new(&self.root, 0)];
        while let Some(container) = open.last_mut() {
            pointer.truncate(container.pointer_length);
            let index = container.next;
            container.next += 1;
            let child = if let Some(member) = container.node.members.get(index) {
                push_step(&mut pointer, &member.key);
                let first = *container.first_spans.entry(&member.key).or_insert(&member.span);
                if *first != member.span && member.key != "<<" {
                    visit(DuplicateKey {
                        pointer: &pointer,
                        key: &member.key,
                        first: first.clone(),
                        last: member.span.clone(),
                        value: member.value.value.clone(),
                    });
                }
                &member.value
            } else if let Some(item) = container.node.items.get(index) {
                push_step(&mut pointer, &index.to_string());
                item
            } else {
                open.pop();
                continue;
            };
            if !child.members.is_empty() || !child.items.is_empty() {
                open.push(OpenNode::new(child, pointer.len()));
            }
        }
    }
}

/// A container whose children are being looked at.
struct OpenNode<'l> {
    node: &'l Spanned,
    /// The child that comes next.
    next: usize,
    /// The length of the pointer to the container.
    pointer_length: usize,
    /// Where each key stands first.
    first_spans: HashMap<&'l str, &'l Range<usize>>,
}

impl<'l> OpenNode<'l> {
    fn new(node: &'l Spanned, pointer_length: usize) -> Self {
        Self { node, next: 0, pointer_length, first_spans: HashMap::new() }
    }
}

fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    for character in step.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(character),
        }
    }
}

/// The lines of a file, for many questions about it. A question takes logarithmic time, however long the lines are.
#[derive(Debug)]
pub struct Lines<'f> {
    file: &'f [u8],
    /// The first byte of each line.
    starts: Vec<usize>,
    /// The characters before each block of [`BLOCK`] bytes.
    characters: Vec<usize>,
}

/// Bytes in which characters are counted one by one.
const BLOCK: usize = 512;

impl<'f> Lines<'f> {
    /// Looks over a file.
    #[must_use]
    pub fn new(file: &'f [u8]) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', file).map(|at| at + 1)).collect();
        let mut before = 0;
        let characters = file.chunks(BLOCK).map(|block| {
            let found = before;
            before += count_characters(block);
            found
        });
        Self { characters: characters.collect(), file, starts }
    }

    /// Line and column of a byte, both from 1; columns count characters.
    #[must_use]
    pub fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let byte = byte.min(self.file.len());
        let line = self.starts.partition_point(|start| *start <= byte);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line)).copied().unwrap_or_default();
        let column = match byte - start {
            0..BLOCK => count_characters(self.file.get(start..byte).unwrap_or_default()),
            _ => self.characters_before(byte) - self.characters_before(start),
        };
        (line, column + 1)
    }

    fn characters_before(&self, byte: usize) -> usize {
        let block = (byte / BLOCK).min(self.characters.len().saturating_sub(1));
        let rest = self.file.get(block * BLOCK..byte).unwrap_or_default();
        self.characters.get(block).copied().unwrap_or_default() + count_characters(rest)
    }
}

fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
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
    fn what_stands_at_a_byte() {
        let text = "name: foo\nentries:\n- name: a\n  skips: [x, yy]\n";
        let locator = Locator::new(text.as_bytes(), 0..text.len(), Syntax::Yaml);
        let at = |needle: &str| {
            let at = locator.at(text.find(needle).unwrap()).unwrap();
            (at.pointer, at.is_key)
        };
        assert_eq!(at("name"), ("/name".to_owned(), true));
        assert_eq!(at("foo"), ("/name".to_owned(), false));
        assert_eq!(at("a\n  skips"), ("/entries/0/name".to_owned(), false));
        assert_eq!(at("yy"), ("/entries/0/skips/1".to_owned(), false));
        let steps: Vec<String> = locator.children("/entries/0").into_iter().map(|child| child.step).collect();
        assert_eq!(steps, ["name", "skips"]);
        assert_eq!(locator.children("/entries/0/skips").len(), 2);
        assert!(locator.children("/nothing").is_empty());
    }

    #[test]
    fn duplicates_and_lines() {
        let text = "a: 1\nb: {c: 1, c: 2}\na: 3\n";
        let locator = Locator::new(text.as_bytes(), 0..text.len(), Syntax::Yaml);
        let mut shown = Vec::new();
        locator.duplicate_keys(|d| shown.push((d.pointer.to_owned(), d.first.start, d.last.start)));
        assert_eq!(shown, [("/b/c".to_owned(), 9, 15), ("/a".to_owned(), 0, 21)]);
        assert_eq!(line_and_column("é\nüx".as_bytes(), 5), (2, 2));
        assert_eq!(line_and_column(b"a", 99), (1, 2));
        let text = "é\nüx\n\ny".as_bytes();
        let lines = Lines::new(text);
        let places: Vec<_> = [0, 2, 3, 5, 6, 7, 8, 99].map(|byte| lines.line_and_column(byte)).into();
        assert_eq!(places, [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (4, 1), (4, 2)]);
        let text = format!("{}\n{}", "é".repeat(3 * BLOCK), "üx".repeat(2 * BLOCK));
        let lines = Lines::new(text.as_bytes());
        for byte in (0..=text.len()).filter(|&byte| text.is_char_boundary(byte)) {
            let before = &text[..byte];
            let line = before.rsplit('\n').next().unwrap_or_default();
            let expected = (before.matches('\n').count() + 1, line.chars().count() + 1);
            assert_eq!(lines.line_and_column(byte), expected);
        }
    }

    #[test]
    fn values_beyond_the_limit_have_the_place_of_their_container() {
        for (open, close, syntax) in [("a:\n", "", Syntax::Yaml), ("{\"a\":[", "0]}", Syntax::Json)] {
            let item = if syntax == Syntax::Yaml { "- b\n" } else { "1," };
            let text = format!("{open}{}{close}", item.repeat(MOST_VALUES + 5));
            let locator = Locator::new(text.as_bytes(), 0..text.len(), syntax);
            assert!(locator.find(&format!("/a/{}", MOST_VALUES - 1)).is_exact);
            let beyond = locator.find(&format!("/a/{}", MOST_VALUES + 1));
            assert!(!beyond.is_exact && beyond.key.is_some_and(|key| key.start < 4));
        }
    }

    #[test]
    fn broken_documents_have_the_places_before_the_fault() {
        assert_eq!(find("a: b\nc: [\n", Syntax::Yaml, "/a"), (Some("a".to_owned()), "b".to_owned(), true));
        assert_eq!(find("{\"a\": 1, \"b\"", Syntax::Json, "/a").1, "1");
        assert_eq!(find("", Syntax::Json, "/a").1, "");
    }
}
