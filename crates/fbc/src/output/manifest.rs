//! Manifests as YAML, as `kubectl` writes them.

use std::io::Write;

use fbc_yaml::{json_reader, yaml_writer};
use serde_json::Value;

use crate::failure::Failure;

/// Writes manifests as YAML documents.
pub(crate) fn write_yaml(manifests: &[Value], out: &mut dyn Write) -> Result<(), Failure> {
    for manifest in manifests {
        write!(out, "---\n{}", yaml(manifest)?)?;
    }
    Ok(())
}

/// The text of a value.
pub(crate) fn yaml(value: &Value) -> Result<String, Failure> {
    let json = value.to_string();
    let mut text = String::new();
    let failure = |reason: String| {
        Failure::refusal(format!("a manifest cannot be written as YAML: {reason}"))
            .help("YAML cannot hold this text; choose -o json")
    };
    let (document, _) =
        json_reader::read_value(json.as_bytes(), 0).map_err(|error| failure(error.message))?;
    yaml_writer::write(&mut text, document.root()).map_err(|error| failure(error.to_string()))?;
    Ok(text)
}
