//! Documents: JSON values in one flat arena, and the cursor over them.
//!
//! A [`Document`] owns three arrays: all text, all numbers, and the entries of all containers,
//! each container's entries side by side. That costs one allocation per array instead of one per
//! value, which is what makes loading fast. It keeps no positions (see [`crate::locate`]) and
//! knows nothing of catalogs.

mod builder;
mod json_value;
#[cfg(test)]
mod tests;

use std::fmt;

pub use builder::{Built, DocumentBuilder, Mark};

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

/// From here on, Go writes integers and floats of one value with other digits, and a float64 may have lost some: a
/// document remembers what was written as an integer.
pub(crate) const WRITTEN_AS_INTEGER: u128 = 1_000_000;

/// A JSON value as Go's loader holds it: numbers are float64, objects have unique keys.
#[derive(Clone)]
pub struct Document {
    text: Box<str>,
    numbers: Box<[f64]>,
    /// The digits of large integers, by the index of the number.
    integers: Box<[(u32, i128)]>,
    entries: Box<[Entry]>,
    root: Slot,
    sorted: bool,
    duplicate_keys: bool,
    /// Whether some number may be infinite or none.
    not_numbers: bool,
    depth: u32,
}

impl Document {
    /// The root value.
    #[must_use]
    #[inline]
    pub fn root(&self) -> Node<'_> {
        Node { document: self, slot: self.root }
    }

    /// Whether some object in the source gave a key twice; the last one won.
    #[must_use]
    pub fn has_duplicate_keys(&self) -> bool {
        self.duplicate_keys
    }

    /// The values that JSON has no number for, infinity and what is no number, in the order of the keys. Only readers
    /// that say so leave them in a document.
    pub fn not_numbers(&self) -> impl Iterator<Item = f64> {
        let mut left = if self.not_numbers { vec![self.root()] } else { Vec::new() };
        std::iter::from_fn(move || {
            while let Some(node) = left.pop() {
                match node.kind() {
                    Kind::Number => {
                        if let Some(number) = node.as_f64().filter(|number| !number.is_finite()) {
                            return Some(number);
                        }
                    }
                    Kind::Array | Kind::Object => {
                        let end = left.len();
                        left.extend(node.items());
                        left.extend(node.members().map(|(_, value)| value));
                        left.get_mut(end..).unwrap_or_default().reverse();
                    }
                    _ => {}
                }
            }
            None
        })
    }

    /// How many containers are nested in each other at the most.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
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
    #[inline]
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
    #[inline]
    pub fn is_null(self) -> bool {
        matches!(self.slot, Slot::Null)
    }

    /// The boolean, or nothing if the value is of another kind.
    #[must_use]
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        match self.slot {
            Slot::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, or nothing if the value is of another kind.
    #[must_use]
    #[inline]
    pub fn as_f64(self) -> Option<f64> {
        match self.slot {
            Slot::Number(index) => self.document.numbers.get(index as usize).copied(),
            _ => None,
        }
    }

    /// The integer that the source writes without a point or an exponent, if it has more than six digits: all of
    /// them, where [`Node::as_f64`] gives the nearest float64.
    #[must_use]
    pub fn as_large_integer(self) -> Option<i128> {
        let Slot::Number(index) = self.slot else { return None };
        let integers = &self.document.integers;
        let at = integers.binary_search_by_key(&index, |(index, _)| *index).ok()?;
        integers.get(at).map(|(_, number)| *number)
    }

    /// The text, or nothing if the value is of another kind.
    #[must_use]
    #[inline]
    pub fn as_str(self) -> Option<&'d str> {
        match self.slot {
            Slot::Text(text) => Some(text_of(&self.document.text, text)),
            _ => None,
        }
    }

    #[inline]
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
    #[inline]
    pub fn len(self) -> usize {
        self.entries().len()
    }

    /// Whether [`Node::len`] is 0.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The items of a list; none for every other kind.
    #[inline]
    pub fn items(self) -> impl ExactSizeIterator<Item = Node<'d>> + DoubleEndedIterator + use<'d> {
        let entries = if matches!(self.slot, Slot::Array(..)) { self.entries() } else { &[] };
        entries.iter().map(move |entry| Node { document: self.document, slot: entry.slot })
    }

    /// The members of an object, sorted by the bytes of their keys (in written order where the
    /// document was built that way); none for every other kind.
    #[inline]
    pub fn members(self) -> impl ExactSizeIterator<Item = (&'d str, Node<'d>)> + use<'d> {
        let entries = if matches!(self.slot, Slot::Object(..)) { self.entries() } else { &[] };
        entries.iter().map(move |entry| {
            (text_of(&self.document.text, entry.key), Node { document: self.document, slot: entry.slot })
        })
    }

    /// The member of that exact key.
    #[must_use]
    #[inline]
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
    #[inline]
    pub fn item(self, index: usize) -> Option<Node<'d>> {
        let Slot::Array(..) = self.slot else { return None };
        self.entries().get(index).map(|entry| Node { document: self.document, slot: entry.slot })
    }

    /// The text of a member, if it is there and is text.
    #[must_use]
    #[inline]
    pub fn get_str(self, key: &str) -> Option<&'d str> {
        self.get(key).and_then(Node::as_str)
    }

    /// A handle that finds this value again in the same document, for owners of the document.
    #[must_use]
    pub fn handle(self) -> NodeHandle {
        NodeHandle(self.slot)
    }

    /// A number that tells texts, numbers and containers of one document apart within each kind, as far
    /// as they are not empty.
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
    #[inline]
    pub fn node(&self, handle: NodeHandle) -> Node<'_> {
        Node { document: self, slot: handle.0 }
    }
}

#[inline]
fn text_of(all: &str, text: Text) -> &str {
    let start = text.start as usize;
    all.get(start..start + text.length as usize).unwrap_or_default()
}
