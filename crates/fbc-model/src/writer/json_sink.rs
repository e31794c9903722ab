//! A blob as indented JSON, straight to text.

use fbc_go::json::{self, break_line};
use fbc_yaml::json_writer::{write_indented, write_string};

use super::fields::Sink;
use crate::blob::Value;

/// Spaces of a level.
const INDENT: usize = 4;

pub(super) struct JsonSink {
    text: String,
    level: usize,
    /// Whether the innermost container has a part already.
    has_parts: bool,
    /// Whether a key waits for its value.
    after_key: bool,
}

impl JsonSink {
    pub(super) fn new() -> Self {
        Self { text: String::new(), level: 0, has_parts: false, after_key: false }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push('\n');
        self.text
    }

    /// What comes before a part: a comma after another part, and a new line.
    fn begin_part(&mut self) {
        if self.after_key {
            self.after_key = false;
        } else if self.level > 0 {
            if self.has_parts {
                self.text.push(',');
            }
            break_line(&mut self.text, INDENT * self.level);
        }
        self.has_parts = true;
    }

    fn open(&mut self, bracket: char) {
        self.begin_part();
        self.text.push(bracket);
        self.level += 1;
        self.has_parts = false;
    }

    fn close(&mut self, bracket: char) {
        self.level = self.level.saturating_sub(1);
        if self.has_parts {
            break_line(&mut self.text, INDENT * self.level);
        }
        self.text.push(bracket);
        self.has_parts = true;
    }
}

impl Sink for JsonSink {
    fn open_object(&mut self) {
        self.open('{');
    }

    fn close_object(&mut self) {
        self.close('}');
    }

    fn open_list(&mut self) {
        self.open('[');
    }

    fn close_list(&mut self) {
        self.close(']');
    }

    fn key(&mut self, key: &str) {
        self.begin_part();
        write_string(&mut self.text, key);
        self.text.push_str(": ");
        self.after_key = true;
    }

    fn text(&mut self, text: &str) {
        self.begin_part();
        write_string(&mut self.text, text);
    }

    fn null(&mut self) {
        self.begin_part();
        self.text.push_str("null");
    }

    fn value(&mut self, value: &Value) {
        self.begin_part();
        match value.json() {
            Some(json) => json::write_indented(&mut self.text, json, INDENT, self.level),
            None => write_indented(&mut self.text, value.node(), INDENT, self.level),
        }
    }
}
