//! Documents: JSON values in one flat arena, and the cursor over them.
//!
//! A [`Document`] owns three arrays: all text, all numbers, and the entries of all containers,
//! each container's entries side by side. That costs one allocation per array instead of one per
//! value, which is what makes loading fast. It keeps no positions (see [`crate::locate`]) and
//! knows nothing of catalogs.

use std::fmt;

/// The largest input document, in bytes: 1 GiB. Positions in a document are 32 bit, and decoding
/// may triple the length of a text (one invalid byte becomes U+FFFD, three bytes).
pub const MAX_DOCUMENT_BYTES: usize = 1 << 30;

/// A piece of a document's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    start: u32,
    length: u32,
}

impl Text {
    /// The empty text, also the key of array items.
    pub(crate) const EMPTY: Self = Self { start: 0, length: 0 };
}

/// A value as the arena stores it: small enough to copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    Null,
    Bool(bool),
    /// Index into the numbers.
    Number(u32),
    Text(Text),
    /// First entry and number of entries.
    Array(u32, u32),
    Object(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Text,
    slot: Slot,
}

/// A JSON value as Go's loader holds it: numbers are float64, objects have unique keys.
#[derive(Clone)]
pub struct Document {
    text: Box<str>,
    numbers: Box<[f64]>,
    entries: Box<[Entry]>,
    root: Slot,
    sorted: bool,
    duplicate_keys: bool,
}

impl Document {
    /// The root value.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { document: self, slot: self.root }
    }

    /// Whether some object in the source gave a key twice; the last one won.
    #[must_use]
    pub fn has_duplicate_keys(&self) -> bool {
        self.duplicate_keys
    }

    /// Bytes of memory that the document holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.text.len() + self.numbers.len() * 8 + self.entries.len() * size_of::<Entry>()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::json_writer::compact(self.root()))
    }
}

impl PartialEq for Document {
    /// Same value: objects compare by key, whatever their order.
    fn eq(&self, other: &Self) -> bool {
        self.root() == other.root()
    }
}

/// The kind of a value, in the words of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A float64.
    Number,
    /// Text.
    String,
    /// A list.
    Array,
    /// A mapping with unique keys.
    Object,
}

impl Kind {
    /// The name that Go's JSON decoder gives the kind in its messages (`number`, `object`, ...).
    #[must_use]
    pub fn go_name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// A value inside a document: a cursor that is cheap to copy.
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document,
    slot: Slot,
}

impl<'d> Node<'d> {
    /// The kind of the value.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.slot {
            Slot::Null => Kind::Null,
            Slot::Bool(_) => Kind::Bool,
            Slot::Number(_) => Kind::Number,
            Slot::Text(_) => Kind::String,
            Slot::Array(..) => Kind::Array,
            Slot::Object(..) => Kind::Object,
        }
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        matches!(self.slot, Slot::Null)
    }

    /// The boolean, or nothing if the value is of another kind.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.slot {
            Slot::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, or nothing if the value is of another kind.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self.slot {
            Slot::Number(index) => self.document.numbers.get(index as usize).copied(),
            _ => None,
        }
    }

    /// The text, or nothing if the value is of another kind.
    #[must_use]
    pub fn as_str(self) -> Option<&'d str> {
        match self.slot {
            Slot::Text(text) => Some(text_of(&self.document.text, text)),
            _ => None,
        }
    }

    fn entries(self) -> &'d [Entry] {
        match self.slot {
            Slot::Array(start, length) | Slot::Object(start, length) => {
                let start = start as usize;
                self.document.entries.get(start..start + length as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The number of items of a list or of members of an object; 0 for every other kind.
    #[must_use]
    pub fn len(self) -> usize {
        self.entries().len()
    }

    /// Whether [`Node::len`] is 0.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The items of a list; none for every other kind.
    pub fn items(self) -> impl ExactSizeIterator<Item = Node<'d>> + DoubleEndedIterator + use<'d> {
        let entries = if matches!(self.slot, Slot::Array(..)) { self.entries() } else { &[] };
        entries.iter().map(move |entry| Node { document: self.document, slot: entry.slot })
    }

    /// The members of an object, sorted by the bytes of their keys (in written order where the
    /// document was built that way); none for every other kind.
    pub fn members(self) -> impl ExactSizeIterator<Item = (&'d str, Node<'d>)> + use<'d> {
        let entries = if matches!(self.slot, Slot::Object(..)) { self.entries() } else { &[] };
        entries.iter().map(move |entry| {
            (text_of(&self.document.text, entry.key), Node { document: self.document, slot: entry.slot })
        })
    }

    /// The member of that exact key.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        let Slot::Object(..) = self.slot else { return None };
        let entries = self.entries();
        let text = &self.document.text;
        let found = if self.document.sorted && entries.len() > 16 {
            entries.binary_search_by(|entry| text_of(text, entry.key).cmp(key)).ok()
        } else {
            entries
                .iter()
                .position(|entry| entry.key.length as usize == key.len() && text_of(text, entry.key) == key)
        }?;
        entries.get(found).map(|entry| Node { document: self.document, slot: entry.slot })
    }

    /// The item of a list.
    #[must_use]
    pub fn item(self, index: usize) -> Option<Node<'d>> {
        let Slot::Array(..) = self.slot else { return None };
        self.entries().get(index).map(|entry| Node { document: self.document, slot: entry.slot })
    }

    /// The text of a member, if it is there and is text.
    #[must_use]
    pub fn get_str(self, key: &str) -> Option<&'d str> {
        self.get(key).and_then(Node::as_str)
    }

    /// A handle that finds this value again in the same document, for owners of the document.
    #[must_use]
    pub fn handle(self) -> NodeHandle {
        NodeHandle(self.slot)
    }

    /// A number that tells values of one document apart: the same for the same container or text.
    #[must_use]
    pub fn identity(self) -> u32 {
        match self.slot {
            Slot::Null => 0,
            Slot::Bool(value) => 1 + u32::from(value),
            Slot::Number(start) | Slot::Array(start, _) | Slot::Object(start, _) => start,
            Slot::Text(text) => text.start,
        }
    }

    /// The document that holds the value.
    #[must_use]
    pub fn document(self) -> &'d Document {
        self.document
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        match self.kind() {
            Kind::Null => other.is_null(),
            Kind::Bool => self.as_bool() == other.as_bool(),
            Kind::Number => self.as_f64() == other.as_f64(),
            Kind::String => self.as_str() == other.as_str(),
            Kind::Array => other.kind() == Kind::Array && self.items().eq(other.items()),
            Kind::Object => {
                other.kind() == Kind::Object
                    && self.len() == other.len()
                    && self.members().all(|(key, value)| other.get(key) == Some(value))
            }
        }
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::json_writer::compact(*self))
    }
}

/// Where a value lies in its document, without a borrow: for types that own the document.
#[derive(Clone, Copy, Debug)]
pub struct NodeHandle(Slot);

impl Document {
    /// The value of a handle that was taken from this document. A handle of another document
    /// gives some value or an empty one, never a panic.
    #[must_use]
    pub fn node(&self, handle: NodeHandle) -> Node<'_> {
        Node { document: self, slot: handle.0 }
    }
}

fn text_of(all: &str, text: Text) -> &str {
    let start = text.start as usize;
    all.get(start..start + text.length as usize).unwrap_or_default()
}

/// Puts a document together, from the leaves up.
///
/// The entries of open containers wait on a stack; closing a container sorts its entries, lets the
/// last of equal keys win, and moves them into the arena.
pub struct DocumentBuilder {
    text: String,
    numbers: Vec<f64>,
    entries: Vec<Entry>,
    stack: Vec<Entry>,
    sorted: bool,
    duplicate_keys: bool,
}

/// A value that a [`DocumentBuilder`] holds already.
#[derive(Clone, Copy, Debug)]
pub struct Built(pub(crate) Slot);

/// The place on the stack where a container begins.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

impl Default for DocumentBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl DocumentBuilder {
    /// A builder whose objects are sorted by key, as the loader has them.
    #[must_use]
    pub fn new() -> Self {
        Self {
            text: String::new(),
            numbers: Vec::new(),
            entries: Vec::new(),
            stack: Vec::new(),
            sorted: true,
            duplicate_keys: false,
        }
    }

    /// A builder whose objects keep the order in which members are pushed; for values that the
    /// reference writes in the order of its own types.
    #[must_use]
    pub fn in_written_order() -> Self {
        Self { sorted: false, ..Self::new() }
    }

    /// Makes room for the text of an input of that many bytes.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.text.reserve(bytes);
    }

    /// The text so far, to append to; see [`DocumentBuilder::text_since`].
    pub(crate) fn text_mut(&mut self) -> &mut String {
        &mut self.text
    }

    /// The text appended since the given length.
    pub(crate) fn text_since(&self, start: usize) -> Text {
        Text { start: start as u32, length: (self.text.len() - start) as u32 }
    }

    pub(crate) fn text_length(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn text_str(&self, text: Text) -> &str {
        text_of(&self.text, text)
    }

    /// Adds a text.
    pub(crate) fn add_text(&mut self, text: &str) -> Text {
        let start = self.text.len();
        self.text.push_str(text);
        self.text_since(start)
    }

    pub(crate) fn add_number(&mut self, number: f64) -> Slot {
        self.numbers.push(number);
        Slot::Number((self.numbers.len() - 1) as u32)
    }

    /// A text value.
    pub fn string(&mut self, text: &str) -> Built {
        Built(Slot::Text(self.add_text(text)))
    }

    /// A number value.
    pub fn number(&mut self, number: f64) -> Built {
        Built(self.add_number(number))
    }

    /// A boolean value.
    pub fn boolean(&mut self, value: bool) -> Built {
        Built(Slot::Bool(value))
    }

    /// The null value.
    pub fn null(&mut self) -> Built {
        Built(Slot::Null)
    }

    /// Begins a list or an object; what is pushed from here on belongs to it until it is closed.
    pub fn open(&mut self) -> Mark {
        Mark(self.stack.len())
    }

    /// Adds an item to the open list.
    pub fn push_item(&mut self, value: Built) {
        self.push_entry(Text::EMPTY, value.0);
    }

    /// Adds a member to the open object.
    pub fn push_member(&mut self, key: &str, value: Built) {
        let key = self.add_text(key);
        self.push_entry(key, value.0);
    }

    pub(crate) fn push_entry(&mut self, key: Text, slot: Slot) {
        self.stack.push(Entry { key, slot });
    }

    /// Ends the list that began at the mark.
    pub fn close_array(&mut self, mark: Mark) -> Built {
        let start = self.entries.len();
        self.entries.extend(self.stack.drain(mark.0..));
        Built(Slot::Array(start as u32, (self.entries.len() - start) as u32))
    }

    /// Ends the object that began at the mark: the last of equal keys wins.
    pub fn close_object(&mut self, mark: Mark) -> Built {
        let start = self.entries.len();
        let text = &self.text;
        let members = self.stack.get_mut(mark.0..).unwrap_or_default();
        let increasing = members
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if text_of(text, a.key) < text_of(text, b.key)));
        if self.sorted && !increasing {
            members.sort_by(|a, b| text_of(text, a.key).cmp(text_of(text, b.key)));
            // Stable: the last of equal keys is the last in the source.
            let mut kept: Vec<Entry> = Vec::with_capacity(members.len());
            for entry in members.iter() {
                match kept.last_mut() {
                    Some(last) if text_of(text, last.key) == text_of(text, entry.key) => {
                        *last = *entry;
                        self.duplicate_keys = true;
                    }
                    _ => kept.push(*entry),
                }
            }
            self.entries.append(&mut kept);
            self.stack.truncate(mark.0);
        } else {
            self.entries.extend(self.stack.drain(mark.0..));
        }
        Built(Slot::Object(start as u32, (self.entries.len() - start) as u32))
    }

    /// As [`DocumentBuilder::close_object`] for an object with merged members, where a key that
    /// comes twice is no mistake.
    pub(crate) fn close_merged_object(&mut self, mark: Mark) -> Built {
        let before = self.duplicate_keys;
        let built = self.close_object(mark);
        self.duplicate_keys = before;
        built
    }

    /// Pushes the members of a finished object into the open one.
    pub(crate) fn push_members_of(&mut self, object: Slot) {
        if let Slot::Object(start, length) = object {
            let start = start as usize;
            let members = self.entries.get(start..start + length as usize).unwrap_or_default();
            self.stack.extend_from_slice(members);
        }
    }

    /// The items of a finished list.
    pub(crate) fn items_of(&self, array: Slot) -> Vec<Slot> {
        let Slot::Array(start, length) = array else { return Vec::new() };
        let start = start as usize;
        let items = self.entries.get(start..start + length as usize).unwrap_or_default();
        items.iter().map(|entry| entry.slot).collect()
    }

    /// Copies a value of any document into this one.
    pub fn copy(&mut self, node: Node<'_>) -> Built {
        match node.kind() {
            Kind::Null => self.null(),
            Kind::Bool => self.boolean(node.as_bool().unwrap_or_default()),
            Kind::Number => self.number(node.as_f64().unwrap_or_default()),
            Kind::String => self.string(node.as_str().unwrap_or_default()),
            Kind::Array => {
                let mark = self.open();
                for item in node.items() {
                    let value = self.copy(item);
                    self.push_item(value);
                }
                self.close_array(mark)
            }
            Kind::Object => {
                let mark = self.open();
                for (key, member) in node.members() {
                    let value = self.copy(member);
                    self.push_member(key, value);
                }
                self.close_object(mark)
            }
        }
    }

    /// The finished document.
    #[must_use]
    pub fn finish(self, root: Built) -> Document {
        Document {
            text: self.text.into_boxed_str(),
            numbers: self.numbers.into_boxed_slice(),
            entries: self.entries.into_boxed_slice(),
            root: root.0,
            sorted: self.sorted,
            duplicate_keys: self.duplicate_keys,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_sorted_and_the_last_duplicate_wins() {
        let mut builder = DocumentBuilder::new();
        let mark = builder.open();
        for (key, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
            let value = builder.string(value);
            builder.push_member(key, value);
        }
        let root = builder.close_object(mark);
        let document = builder.finish(root);
        let members: Vec<_> = document.root().members().map(|(k, v)| (k, v.as_str())).collect();
        assert_eq!(members, [("a", Some("2")), ("b", Some("3"))]);
        assert!(document.has_duplicate_keys());
        assert_eq!(document.root().get_str("b"), Some("3"));
        assert_eq!(document.root().get("c"), None);
    }

    #[test]
    fn large_objects_are_searched_by_halves() {
        let mut builder = DocumentBuilder::new();
        let mark = builder.open();
        for number in 0..100 {
            let value = builder.number(f64::from(number));
            builder.push_member(&format!("key{number}"), value);
        }
        let root = builder.close_object(mark);
        let document = builder.finish(root);
        assert!(!document.has_duplicate_keys());
        for number in 0..100 {
            let found = document.root().get(&format!("key{number}")).and_then(Node::as_f64);
            assert_eq!(found, Some(f64::from(number)));
        }
    }

    #[test]
    fn copies_keep_the_value_and_written_order() {
        let mut builder = DocumentBuilder::in_written_order();
        let mark = builder.open();
        let value = builder.boolean(true);
        builder.push_member("z", value);
        let list = builder.open();
        let item = builder.null();
        builder.push_item(item);
        let value = builder.close_array(list);
        builder.push_member("a", value);
        let root = builder.close_object(mark);
        let first = builder.finish(root);
        assert_eq!(format!("{first:?}"), r#"{"z":true,"a":[null]}"#);

        let mut builder = DocumentBuilder::new();
        let root = builder.copy(first.root());
        let second = builder.finish(root);
        assert_eq!(format!("{second:?}"), r#"{"a":[null],"z":true}"#);
        assert_eq!(first, second);
    }
}
