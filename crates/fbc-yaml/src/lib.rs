//! Bytes to documents exactly as Go's catalog loader sees them, positions on demand, and the writers.

pub mod document;
pub mod edit;
mod events;
mod general;
pub mod json_reader;
pub mod json_writer;
pub mod layout;
pub mod limits;
pub mod locate;
mod scalar;
mod scanner;
mod spans;
pub mod split;
pub mod stream;
pub mod yaml_writer;

pub use document::{Built, Document, DocumentBuilder, Kind, Node, NodeHandle};
pub use general::YamlError;
