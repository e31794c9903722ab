//! The schemas: what they find, that they are sound, and that editors see the same as the program.

mod agreement;
mod catalogs;
mod soundness;
mod table;

use fbc_yaml::{Document, json_reader};

/// A document from JSON text.
fn document(text: &str) -> Document {
    json_reader::read_value(text.as_bytes(), 0).unwrap().0
}
