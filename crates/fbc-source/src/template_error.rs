//! Templates that are refused: where, and why.

use std::path::Path;

use fbc_lint::Profile;
use fbc_model::Catalog;
use fbc_model::closest::closest;
use fbc_model::tree::MemoryTree;
use fbc_template::{TemplateError, TemplateFault};
use fbc_yaml::locate::line_and_column;

use crate::error::{Error, ErrorKind};

/// What opm objects to in a catalog, in its words; nothing if it takes the catalog.
#[must_use]
pub fn opm_error(catalog: &Catalog) -> Option<String> {
    fbc_rules::lint(catalog, &MemoryTree::default(), Profile::Opm).opm_error
}

/// A template that is refused, or whose bundles cannot be pulled: where, and why.
#[must_use]
pub fn refusal(path: &Path, text: &[u8], error: &TemplateError) -> Error {
    let shown =
        if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
    let place = match &error.place {
        Some(place) => {
            let (line, column) = line_and_column(text, place.bytes.start);
            format!("{shown}:{line}:{column}")
        }
        None => shown,
    };
    if let TemplateFault::TooLarge(exceeded) = error.fault.as_ref() {
        return Error::expansion(*exceeded, format!("{place}: {error}"));
    }
    let kind = if error.could_not_pull() { ErrorKind::Unusable } else { ErrorKind::Refused };
    let mut refused = Error::of_lines(&format!("{place}: {error}")).of_kind(kind);
    if let Some((field, known)) = error.unknown_field() {
        if let Some(meant) = closest(field, known.iter().copied()) {
            refused = refused.help(format!("did you mean {meant}?"));
        }
        refused = refused.help(format!("the fields here are {}", known.join(", ")));
    }
    match error.help() {
        Some(help) => refused.help(help),
        None => refused,
    }
}
