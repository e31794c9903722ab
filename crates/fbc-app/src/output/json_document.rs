//! The JSON documents that commands write: each says which version of its shape it has.
//!
//! A field that goes, or gets another name or type, raises the version; a new field does not. Lists, lines and documents
//! whose form others decide (SARIF, manifests) have no version.

use std::io::{self, Write};

use serde::Serialize;

/// The version of all shapes.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Versioned<'d, D> {
    schema_version: u32,
    #[serde(flatten)]
    document: &'d D,
}

/// Writes an object, with its version in front.
///
/// # Errors
/// Those of the output.
pub fn write(out: &mut (impl Write + ?Sized), document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Versioned { schema_version: SCHEMA_VERSION, document })?;
    writeln!(out)
}

/// The object as text, without a line break at its end.
///
/// # Errors
/// If it is not an object.
pub fn text(document: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(&Versioned { schema_version: SCHEMA_VERSION, document })?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn the_version_comes_first() {
        let mut out = Vec::new();
        super::write(&mut out, &json!({"a": [1]})).unwrap();
        assert_eq!(out, b"{\n  \"schemaVersion\": 1,\n  \"a\": [\n    1\n  ]\n}\n");
        assert!(super::write(&mut Vec::new(), &1).is_err());
    }
}
