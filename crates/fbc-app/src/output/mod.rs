//! What is written: files and directories, whole or not at all.

pub mod destinations;
pub mod directory;
pub mod file;
pub mod json_document;
pub mod manifest;
