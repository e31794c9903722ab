//! Manifests on their way out, as cluster tools take them.

use std::io::{self, Write};

use fbc_app::output::manifest::yaml_documents;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Writes manifests as YAML documents.
pub(crate) fn write_yaml(manifests: &[Value], out: &mut dyn Write) -> Result<(), Failure> {
    Ok(out.write_all(yaml_documents(manifests)?.as_bytes())?)
}

/// Writes a list of manifests.
pub(crate) fn write_json(manifests: Vec<Value>, out: &mut dyn Write) -> Result<(), Failure> {
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": manifests });
    serde_json::to_writer_pretty(&mut *out, &list).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
