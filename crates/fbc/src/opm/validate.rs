//! `opm validate`.

use std::fs;
use std::path::Path;

use fbc_go::text::quote;
use fbc_lint::Profile;
use fbc_model::load::load_tree;
use fbc_model::tree::DiskTree;
use fbc_yaml::{Document, DocumentBuilder, json_writer, yaml_writer};

use super::arguments::Invocation;
use super::error::OpmError;
use super::{catalog, print};
use crate::failure::{Failure, words};

pub(super) fn run(invocation: &Invocation) -> Result<(), OpmError> {
    let directory = invocation.positionals.first().map(String::as_str).unwrap_or_default();
    let output = invocation.text("output");
    let metadata = fs::metadata(directory)
        .map_err(|error| OpmError::Usage(format!("stat {directory}: {}", words(&error).to_lowercase())))?;
    if !metadata.is_dir() {
        return Err(OpmError::Usage(format!("{} is not a directory", quote(directory))));
    }
    if !output.is_empty() {
        catalog::check_output(output).map_err(|error| OpmError::Usage(error.to_string()))?;
    }
    let error = refusal(Path::new(directory));
    if output.is_empty() {
        return error.map_or(Ok(()), |error| Err(OpmError::Fatal(error)));
    }
    print(&verdict(error.as_deref(), output)?)?;
    if error.is_none() { Ok(()) } else { Err(OpmError::Told) }
}

/// Why opm refuses a catalog; nothing if it does not.
pub(super) fn refusal(directory: &Path) -> Option<String> {
    let tree = DiskTree { root: directory.to_path_buf() };
    let catalog = load_tree(&tree);
    fbc_rules::lint(&catalog, &tree, Profile::Opm).opm_error
}

fn verdict(error: Option<&str>, output: &str) -> Result<String, OpmError> {
    let document = verdict_document(error);
    let mut text = String::new();
    if output == "yaml" {
        yaml_writer::write(&mut text, document.root())
            .map_err(|error| Failure::new(format!("cannot write the verdict as YAML: {error}")))?;
        text.push('\n');
    } else {
        json_writer::write_indented(&mut text, document.root(), 2, 0);
        // Go's default escapes for the sake of HTML. Outside of strings these characters do not occur.
        text = text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
        text.push('\n');
    }
    Ok(text)
}

fn verdict_document(error: Option<&str>) -> Document {
    let mut builder = DocumentBuilder::in_written_order();
    let root = builder.open();
    let passed = builder.boolean(error.is_none());
    builder.push_member("passed", passed);
    if let Some(error) = error {
        let mark = builder.open();
        let message = builder.string(error);
        builder.push_member("message", message);
        let error = builder.close_object(mark);
        builder.push_member("error", error);
    }
    let root = builder.close_object(root);
    builder.finish(root)
}
