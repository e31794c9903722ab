//! Manifests as YAML, as `kubectl` writes them.

use fbc_yaml::{json_reader, yaml_writer};
use serde_json::Value;

use fbc_source::Error;

/// Manifests as YAML documents.
///
/// # Errors
/// If YAML cannot hold a text in them.
pub fn yaml_documents(manifests: &[Value]) -> Result<String, Error> {
    let mut text = String::new();
    for manifest in manifests {
        text.push_str("---\n");
        text.push_str(&yaml(manifest)?);
    }
    Ok(text)
}

/// The text of a value.
///
/// # Errors
/// If YAML cannot hold a text in it.
pub fn yaml(value: &Value) -> Result<String, Error> {
    let json = value.to_string();
    let mut text = String::new();
    let failure = |reason: String| {
        Error::refusal(format!("a manifest cannot be written as YAML: {reason}"))
            .help("YAML cannot hold this text; choose -o json")
    };
    let (document, _) =
        json_reader::read_value(json.as_bytes(), 0).map_err(|error| failure(error.message))?;
    yaml_writer::write(&mut text, document.root()).map_err(|error| failure(error.to_string()))?;
    Ok(text)
}
