//! Building documents.

use super::{Document, Entry, Kind, Node, Slot, Text, WRITTEN_AS_INTEGER, text_of};

/// Puts a document together, from the leaves up.
///
/// The entries of open containers wait on a stack; closing a container sorts its entries, lets the
/// last of equal keys win, and moves them into the arena.
pub struct DocumentBuilder {
    text: String,
    numbers: Vec<f64>,
    integers: Vec<(u32, i128)>,
    entries: Vec<Entry>,
    stack: Vec<Entry>,
    sorted: bool,
    duplicate_keys: bool,
    not_numbers: bool,
    /// The number of open containers, now and at the most.
    open: u32,
    deepest: u32,
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
            integers: Vec::new(),
            entries: Vec::new(),
            stack: Vec::new(),
            sorted: true,
            duplicate_keys: false,
            not_numbers: false,
            open: 0,
            deepest: 0,
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
        self.not_numbers |= !number.is_finite();
        self.numbers.push(number);
        Slot::Number((self.numbers.len() - 1) as u32)
    }

    /// Adds a number that the source writes as an integer.
    pub(crate) fn add_integer(&mut self, number: i128) -> Slot {
        if number.unsigned_abs() >= WRITTEN_AS_INTEGER {
            self.integers.push((self.numbers.len() as u32, number));
        }
        self.add_number(number as f64)
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
        self.open += 1;
        self.deepest = self.deepest.max(self.open);
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
        self.open = self.open.saturating_sub(1);
        self.entries.extend(self.stack.drain(mark.0..));
        Built(Slot::Array(start as u32, (self.entries.len() - start) as u32))
    }

    /// Ends the object that began at the mark: the last of equal keys wins.
    pub fn close_object(&mut self, mark: Mark) -> Built {
        let start = self.entries.len();
        self.open = self.open.saturating_sub(1);
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
    /// comes twice is not a mistake.
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
            Kind::Number => match node.as_large_integer() {
                Some(number) => Built(self.add_integer(number)),
                None => self.number(node.as_f64().unwrap_or_default()),
            },
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
            integers: self.integers.into_boxed_slice(),
            entries: self.entries.into_boxed_slice(),
            root: root.0,
            sorted: self.sorted,
            duplicate_keys: self.duplicate_keys,
            not_numbers: self.not_numbers,
            depth: self.deepest,
        }
    }
}
