//! The schemas: what they find, that they are sound, and that editors see the same as the program.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests as well")]

#[path = "schema/agreement.rs"]
mod agreement;
#[path = "schema/catalogs.rs"]
mod catalogs;
#[path = "schema/soundness.rs"]
mod soundness;
#[path = "schema/table.rs"]
mod table;

use fbc_yaml::{Document, json_reader};

/// A document from JSON text.
fn document(text: &str) -> Document {
    json_reader::read_value(text.as_bytes(), 0).unwrap().0
}
