//! Reads a configuration document strictly: all faults are collected, each with its line and column.

use fbc_model::closest::closest;
use std::path::Path;

use fbc_yaml::locate::{Locator, line_and_column};
use fbc_yaml::stream::Syntax;
use fbc_yaml::{Kind, Node};

use crate::error::Error;

/// A fault, with its line and column.
pub type Fault = ((usize, usize), String);

/// Reads values of one document; places are JSON pointers.
pub struct DocumentReader<'t> {
    text: &'t [u8],
    locator: Locator,
    faults: Vec<Fault>,
}

impl<'t> DocumentReader<'t> {
    /// A reader of a document that fills its file.
    pub fn new(text: &'t [u8]) -> Self {
        Self { text, locator: Locator::new(text, 0..text.len(), Syntax::Yaml), faults: Vec::new() }
    }

    /// The faults in the order of the text; nothing if there are none.
    pub fn faults(mut self) -> Option<Vec<Fault>> {
        self.faults.sort();
        self.faults.dedup();
        (!self.faults.is_empty()).then_some(self.faults)
    }

    /// Line and column of a value.
    pub fn place(&self, pointer: &str) -> (usize, usize) {
        line_and_column(self.text, self.locator.find(pointer).value.start)
    }

    /// Notes what is wrong with a value.
    pub fn fault(&mut self, pointer: &str, text: impl Into<String>) {
        let place = self.place(pointer);
        self.faults.push((place, text.into()));
    }

    /// Notes what is wrong with a key.
    pub fn key_fault(&mut self, pointer: &str, text: impl Into<String>) {
        let found = self.locator.find(pointer);
        let place = line_and_column(self.text, found.key.unwrap_or(found.value).start);
        self.faults.push((place, text.into()));
    }

    /// Whether a value is a mapping; notes it if not.
    pub fn mapping(&mut self, node: Node<'_>, pointer: &str) -> bool {
        let is_mapping = node.kind() == Kind::Object;
        if !is_mapping {
            self.fault(pointer, "this is not a mapping");
        }
        is_mapping
    }

    /// Notes keys that are not known.
    pub fn keys(&mut self, object: Node<'_>, pointer: &str, known: &[&str]) {
        for (key, _) in object.members() {
            if known.contains(&key) {
                continue;
            }
            let guess = closest(key, known.iter().copied());
            let guess = guess.map(|guess| format!(", did you mean `{guess}`?")).unwrap_or_default();
            self.key_fault(&member(pointer, key), format!("there is no key `{key}`{guess}"));
        }
    }

    /// A text that must be there.
    pub fn text(&mut self, object: Node<'_>, pointer: &str, key: &str) -> String {
        if object.get(key).is_none() && object.kind() == Kind::Object {
            self.fault(pointer, format!("`{key}` is missing"));
        }
        match object.get(key) {
            Some(value) if value.as_str().is_none_or(str::is_empty) && value.kind() != Kind::Number => {
                self.fault(&member(pointer, key), format!("`{key}` must be a string that is not empty"));
                String::new()
            }
            _ => self.optional_text(object, pointer, key).unwrap_or_default(),
        }
    }

    /// A text that may be missing, null or empty.
    pub fn optional_text(&mut self, object: Node<'_>, pointer: &str, key: &str) -> Option<String> {
        let value = object.get(key).filter(|value| !value.is_null())?;
        match value.as_str() {
            Some(text) => return (!text.is_empty()).then(|| text.to_owned()),
            None if value.kind() == Kind::Number => {
                self.fault(&member(pointer, key), format!("`{key}` is a number; put it in quotes"));
            }
            None => self.fault(&member(pointer, key), format!("`{key}` is not a string")),
        }
        None
    }

    /// A switch, off if it is missing.
    pub fn switch(&mut self, object: Node<'_>, pointer: &str, key: &str) -> bool {
        let Some(value) = object.get(key).filter(|value| !value.is_null()) else { return false };
        value.as_bool().unwrap_or_else(|| {
            self.fault(&member(pointer, key), format!("`{key}` is neither true nor false"));
            false
        })
    }

    /// The mappings of a list that may be missing, each with its pointer.
    pub fn list<'n>(&mut self, object: Node<'n>, pointer: &str, key: &str) -> Vec<(Node<'n>, String)> {
        let Some(value) = object.get(key).filter(|value| !value.is_null()) else { return Vec::new() };
        let pointer = member(pointer, key);
        if value.kind() != Kind::Array {
            self.fault(&pointer, format!("`{key}` is not a list"));
            return Vec::new();
        }
        let items = value.items().enumerate().map(|(index, item)| (item, format!("{pointer}/{index}")));
        items.filter(|(item, pointer)| self.mapping(*item, pointer)).collect()
    }
}

/// The pointer of a member.
pub fn member(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// A fault as a failure.
pub fn failure(path: &Path, ((line, column), fault): &Fault) -> Error {
    Error::new(format!("{}:{line}:{column}: {fault}", path.display()))
}
