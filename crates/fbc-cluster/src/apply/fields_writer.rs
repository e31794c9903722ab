//! Sets of fields in the making: their places are written in order, as the text that is stored.

use super::fields::{Fields, SELF};
use super::path_element::Step;

/// Writes a set whose places come in order, each before what lies below it.
#[derive(Debug)]
pub(super) struct FieldsWriter {
    text: String,
    /// So many steps of the present path are written and not ended.
    open: usize,
    /// The innermost of them belongs to the set itself, and has nothing below it so far.
    is_member: bool,
}

impl Default for FieldsWriter {
    fn default() -> Self {
        Self { text: "{".to_owned(), open: 0, is_member: false }
    }
}

impl FieldsWriter {
    /// Adds the place with this path.
    pub(super) fn add(&mut self, path: &[Step<'_>]) {
        for step in path.get(self.open..).unwrap_or_default() {
            if self.is_member {
                self.text.push_str(SELF);
            }
            if !self.text.ends_with('{') {
                self.text.push(',');
            }
            step.write_key(&mut self.text);
            self.text.push_str(":{");
            self.is_member = false;
        }
        self.open = path.len();
        self.is_member = self.open > 0;
    }

    /// The path has only so many steps from now on.
    pub(super) fn leave(&mut self, depth: usize) {
        while self.open > depth {
            self.text.push('}');
            self.open -= 1;
            self.is_member = false;
        }
    }

    /// The set.
    pub(super) fn finish(mut self) -> Fields {
        self.leave(0);
        self.text.push('}');
        Fields(self.text)
    }
}
