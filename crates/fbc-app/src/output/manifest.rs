//! Manifests as YAML, as `kubectl` writes them.

use fbc_yaml::layout::LayoutRoom;
use fbc_yaml::{json_reader, yaml_writer};
use serde_json::Value;

use fbc_source::Error;

/// Manifests as YAML documents.
///
/// # Errors
/// If YAML cannot hold a text in them.
pub fn yaml_documents(manifests: &[Value]) -> Result<String, Error> {
    let (mut text, mut room) = (String::new(), LayoutRoom::default());
    for manifest in manifests {
        text.push_str("---\n");
        text.push_str(&yaml_within(manifest, &mut room)?);
    }
    Ok(text)
}

/// The text of a value.
///
/// # Errors
/// If YAML cannot hold a text in it.
pub fn yaml(value: &Value) -> Result<String, Error> {
    yaml_within(value, &mut LayoutRoom::default())
}

/// The text of a value that shares the room for indentation with others.
fn yaml_within(value: &Value, room: &mut LayoutRoom) -> Result<String, Error> {
    let json = value.to_string();
    let mut text = String::new();
    let failure = |reason: String| {
        Error::refusal(format!("a manifest cannot be written as YAML: {reason}"))
            .help("YAML cannot hold this text; choose -o json")
    };
    let (document, _) =
        json_reader::read_value(json.as_bytes(), 0).map_err(|error| failure(error.message))?;
    yaml_writer::write_within(&mut text, document.root(), room)
        .map_err(|error| failure(error.to_string()))?;
    Ok(text)
}
