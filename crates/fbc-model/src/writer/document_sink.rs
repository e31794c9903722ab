//! A blob as a document, for the YAML writer.

use fbc_yaml::document::Mark;
use fbc_yaml::{Built, Document, DocumentBuilder};

use super::fields::Sink;
use crate::blob::Value;

pub(super) struct DocumentSink {
    builder: DocumentBuilder,
    /// Open containers: where each begins, and the key that waited for it.
    open: Vec<(Mark, Option<String>)>,
    key: Option<String>,
    root: Option<Built>,
}

impl DocumentSink {
    pub(super) fn new() -> Self {
        Self { builder: DocumentBuilder::in_written_order(), open: Vec::new(), key: None, root: None }
    }

    pub(super) fn finish(mut self) -> Document {
        let root = match self.root {
            Some(root) => root,
            None => self.builder.null(),
        };
        self.builder.finish(root)
    }

    fn open(&mut self) {
        let mark = self.builder.open();
        self.open.push((mark, self.key.take()));
    }

    fn store(&mut self, value: Built) {
        match (self.key.take(), self.open.is_empty()) {
            (Some(key), _) => self.builder.push_member(&key, value),
            (None, false) => self.builder.push_item(value),
            (None, true) => self.root = Some(value),
        }
    }
}

impl Sink for DocumentSink {
    fn open_object(&mut self) {
        self.open();
    }

    fn close_object(&mut self) {
        if let Some((mark, key)) = self.open.pop() {
            let value = self.builder.close_object(mark);
            self.key = key;
            self.store(value);
        }
    }

    fn open_list(&mut self) {
        self.open();
    }

    fn close_list(&mut self) {
        if let Some((mark, key)) = self.open.pop() {
            let value = self.builder.close_array(mark);
            self.key = key;
            self.store(value);
        }
    }

    fn key(&mut self, key: &str) {
        self.key = Some(key.to_owned());
    }

    fn text(&mut self, text: &str) {
        let value = self.builder.string(text);
        self.store(value);
    }

    fn null(&mut self) {
        let value = self.builder.null();
        self.store(value);
    }

    fn value(&mut self, value: &Value) {
        let value = self.builder.copy(value.node());
        self.store(value);
    }
}
